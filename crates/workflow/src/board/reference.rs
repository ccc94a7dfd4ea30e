//! Short references to several messages that are to be acknowledged.

use sessile_core::SessionKey;
use sessile_core::digest::Parts;

use super::base64;
use super::id::MessageId;
use super::seal::seal;
use super::state::Board;

const PREFIX: &str = "wsk2_";

/// How long a tag is.
const TAG: usize = 16;

/// Names those of some messages that wait for being acknowledged, as one short text.
pub(crate) fn issue(board: &Board, session: &SessionKey, ids: &[MessageId]) -> String {
    let waiting = waiting(board);
    let mut bits = vec![0_u8; waiting.len().div_ceil(8)];
    for (place, id) in waiting.iter().enumerate() {
        if let Some(byte) = bits.get_mut(place / 8).filter(|_| ids.contains(id)) {
            *byte |= 1 << (place % 8);
        }
    }
    let bytes = [tag(session, &waiting, &bits).as_slice(), &bits].concat();
    format!("{PREFIX}{}", base64::encode(&bytes))
}

/// The messages that a reference names; none once other messages wait than when it was made.
pub(crate) fn resolve(board: &Board, session: &SessionKey, reference: &str) -> Vec<MessageId> {
    parse(board, session, reference).unwrap_or_default()
}

fn parse(board: &Board, session: &SessionKey, reference: &str) -> Option<Vec<MessageId>> {
    let bytes = base64::decode(reference.strip_prefix(PREFIX)?)?;
    let (sealed, bits) = bytes.split_first_chunk::<TAG>()?;
    let waiting = waiting(board);
    if *sealed != tag(session, &waiting, bits) {
        return None;
    }
    let is_named = |place: usize| bits.get(place / 8).is_some_and(|it| it >> (place % 8) & 1 == 1);
    let named = waiting.into_iter().enumerate().filter(|(place, _)| is_named(*place));
    Some(named.map(|(_, id)| id).collect())
}

/// The open messages that somebody is to acknowledge, whether that was done or not.
fn waiting(board: &Board) -> Vec<MessageId> {
    let waiting = board.messages().filter(|message| message.is_open() && message.requires_ack);
    waiting.map(|message| message.id.clone()).collect()
}

fn tag(session: &SessionKey, waiting: &[MessageId], bits: &[u8]) -> [u8; TAG] {
    let mut parts = Parts::default();
    for id in waiting {
        parts.push(id.as_str().as_bytes());
    }
    seal("sessile acknowledgement", session, [parts.digest().as_bytes().as_slice(), bits])
}
