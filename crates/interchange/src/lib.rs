//! Other programs' session files, read and written as pure functions.
