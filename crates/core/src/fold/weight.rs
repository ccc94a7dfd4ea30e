//! How much memory a folded state takes, about.

use super::state::SessionState;

/// About how much a header has outside its own members.
const HEADER: usize = 512;

/// About how much a map needs for an entry beside its key and value.
const MAP_ENTRY: usize = 64;

impl SessionState {
    /// About how many bytes of memory it takes: an estimate for whoever bounds how much is held.
    pub fn weight(&self) -> usize {
        let fixed = size_of::<Self>() + HEADER + size_of_val(self.damage());
        let meta = self.meta().iter().map(|(key, value)| key.len() + value.len() + MAP_ENTRY);
        fixed + meta.sum::<usize>() + self.commits().weight() + self.foldings.weight()
    }
}
