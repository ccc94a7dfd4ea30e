//! From the entries of a session back to a file.

mod form;
mod escape;
mod markdown;
mod html;
mod exporter;
mod file_name;

pub use exporter::{Exporter, Origin};
pub use file_name::file_name;
pub use form::ExportFormat;

#[cfg(test)]
mod tests;
