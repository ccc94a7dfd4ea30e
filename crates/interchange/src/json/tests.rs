//! Both directions together, and Python's own answers.

mod values;
mod reading;
pub(crate) mod python;

pub(crate) use values::{any_text, any_value};
