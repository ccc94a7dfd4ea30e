//! The suite that every backend of sessile must pass.
