use bytes::Bytes;
use proptest::prelude::*;

use super::files::file;
use crate::ledger::decode;

fn check(bytes: Vec<u8>) -> Result<(), TestCaseError> {
    if let Ok(ledger) = decode(&Bytes::from(bytes)) {
        prop_assert_eq!(ledger.rows.len() + ledger.dropped.len(), ledger.count);
        prop_assert!(ledger.mended.iter().all(|loss| loss.row < ledger.count));
        for row in &ledger.rows {
            prop_assert!(row.updated_at >= row.created_at);
            prop_assert_eq!(row.owner.len(), 64);
        }
    }
    Ok(())
}

#[test]
fn depth_takes_no_more_than_its_share() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let ledger = format!(r#"{{"version":2,"sessions":[{deep},{{"session_id":{deep}}}]}}"#);
    let ledger = decode(&Bytes::from(ledger)).unwrap();
    assert_eq!((ledger.rows.len(), ledger.dropped.len()), (0, 2));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        check(bytes)?;
    }

    #[test]
    fn a_spoiled_ledger_loses_no_row_unnamed(
        changes in proptest::collection::vec((0_usize..9_000, any::<u8>()), 1..4),
        damaged in any::<bool>(),
    ) {
        let mut bytes = file(if damaged { "damaged-rows.json" } else { "sound.json" }).to_vec();
        let length = bytes.len();
        for (at, with) in changes {
            bytes[at % length] = with;
        }
        check(bytes)?;
    }
}
