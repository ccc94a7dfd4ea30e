//! By what a repeated post is recognised.

use sessile_core::digest::{Digest, Parts};

use super::id::MessageId;
use super::kind::{Kind, Priority};

/// The digest of a text and its tags, how many there are and in which order.
pub(crate) fn content<'a>(text: &str, tags: impl IntoIterator<Item = &'a str>) -> Digest {
    let mut parts = Parts::default();
    parts.push(text.as_bytes());
    tags.into_iter().for_each(|tag| parts.push(tag.as_bytes()));
    parts.digest()
}

/// The digest by which a delivery key is remembered: neither key nor sender can be read from it.
pub(crate) fn identity(scope: &str, key: &str) -> Digest {
    let key = Digest::of(key.as_bytes());
    Digest::of_parts([scope.as_bytes(), key.as_bytes()])
}

/// The digest of all that a repeat of a post has in common with the first.
pub(crate) fn payload(
    kind: Kind,
    content: Digest,
    reply_to: Option<&MessageId>,
    priority: Priority,
    requires_ack: bool,
) -> Digest {
    let mut parts = Parts::default();
    parts.push(kind.name().as_bytes());
    parts.push(content.as_bytes());
    parts.push(&[u8::from(reply_to.is_some())]);
    parts.push(reply_to.map_or(b"".as_slice(), |id| id.as_str().as_bytes()));
    parts.push(priority.name().as_bytes());
    parts.push(&[u8::from(requires_ack)]);
    parts.digest()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_payload_and_the_order_of_tags_counts() {
        let reply = MessageId::from("m1");
        let of = |text: &str, tags: &[&str], reply_to, priority, requires_ack| {
            let content = content(text, tags.iter().copied());
            payload(Kind::Note, content, reply_to, priority, requires_ack)
        };
        let all = [
            of("a", &[], None, Priority::Normal, false),
            of("b", &[], None, Priority::Normal, false),
            of("a", &["x", "y"], None, Priority::Normal, false),
            of("a", &["y", "x"], None, Priority::Normal, false),
            of("a", &["xy"], None, Priority::Normal, false),
            of("a", &[], Some(&reply), Priority::Normal, false),
            of("a", &[], None, Priority::High, false),
            of("a", &[], None, Priority::Normal, true),
            payload(Kind::Risk, content("a", []), None, Priority::Normal, false),
        ];
        let distinct: std::collections::HashSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), all.len());
        assert_ne!(identity("s", "k1"), identity("s", "k2"));
        assert_ne!(identity("s1", "k"), identity("s2", "k"));
    }
}
