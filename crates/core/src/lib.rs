//! Formats and rules of sessile: ids, errors, the journal line, the fold, the backend contract.
