//! Lenses: what sessile must know of a message, read from its verbatim JSON.
