//! The lines of a catalog: a checksum, what it tells, and fields that tabs part.

use std::fmt::Write as _;
use std::sync::Arc;

use bytestring::ByteString;
use sessile_core::backend::Gist;
use sessile_core::commit::Tip;
use sessile_core::digest::{Digest, Token};
use sessile_core::error::Occupant;
use sessile_core::fold::Lifecycle;
use sessile_core::id::{Name, SessionId};
use sessile_core::position::{Position, Seq};
use sessile_core::text::Text;
use sessile_core::time::UnixMillis;

use super::fields::{Fields, hex, optional, parsed, parsed_if_any, text};
use super::label::Label;
use crate::note::{Note, Noted};
use crate::stamp::Stamp;

/// What a line tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Which boot the file is of; its first line.
    Boot(Box<str>),
    /// A holder has opened a journal, and may change it from here on.
    Open(Arc<str>, SessionId),
    /// A holder has let go of a journal; with a note, if it knows how it left it.
    Closed(Arc<str>, SessionId, Option<Noted>),
    /// How somebody found a journal that nobody had open.
    Found(SessionId, Noted),
    /// The same, told within an earlier boot.
    Former(SessionId, Noted),
    /// What may be shown of a journal as it was left.
    Told(SessionId, Arc<Gist>),
    /// There is no journal of that name.
    Gone(SessionId),
    /// As of this stamp of their folder there are no journals but those that were told of before.
    Names(Stamp),
    /// What follows are not lines, but a block of sessions of which the same is told as by
    /// [`Found`](Self::Found).
    Block(Label),
}

impl Line {
    /// The line with its end.
    pub(crate) fn encode(&self, to: &mut String) {
        let mut fields = Fields(String::new());
        match self {
            Self::Boot(boot) => fields.kind('b').text(boot),
            Self::Open(holder, id) => fields.kind('o').text(holder).text(id.as_str()),
            Self::Closed(holder, id, noted) => {
                fields.kind('c').text(holder).text(id.as_str());
                match noted {
                    Some(noted) => fields.noted(noted),
                    None => &mut fields,
                }
            }
            Self::Found(id, noted) => fields.kind('f').text(id.as_str()).noted(noted),
            Self::Former(id, noted) => fields.kind('p').text(id.as_str()).noted(noted),
            Self::Told(id, gist) => fields.kind('t').text(id.as_str()).tip(gist.tip).gist(gist),
            Self::Gone(id) => fields.kind('g').text(id.as_str()),
            Self::Names(stamp) => {
                fields.kind('n').number(stamp.device).number(stamp.inode).number(stamp.changed)
            }
            Self::Block(Label { rows, numbers, texts, shared, sum }) => {
                fields.kind('k').number(*rows).number(*numbers).number(*texts).number(*shared);
                fields.number((*sum).into())
            }
        };
        let _always_fits = writeln!(to, "{:08x}{}", sum(fields.0.as_bytes()), fields.0);
    }

    /// What a line without its end tells, if it is one and whole.
    pub(crate) fn decode(line: &[u8]) -> Option<Self> {
        let (checksum, told) = line.split_at_checked(8)?;
        if hex(std::str::from_utf8(checksum).ok()?)? != u64::from(sum(told)) {
            return None;
        }
        let mut fields = std::str::from_utf8(told).ok()?.split('\t').skip(1);
        let fields = &mut fields;
        let line = match fields.next()? {
            "b" => Self::Boot(text(fields.next()?)?.into()),
            "o" => Self::Open(text(fields.next()?)?.into(), parsed(fields.next()?)?),
            "c" => {
                let (holder, id) = (text(fields.next()?)?.into(), parsed(fields.next()?)?);
                let noted = match fields.next() {
                    Some(first) => Some(noted(first, fields)?),
                    None => None,
                };
                Self::Closed(holder, id, noted)
            }
            "f" => Self::Found(parsed(fields.next()?)?, noted(fields.next()?, fields)?),
            "p" => Self::Former(parsed(fields.next()?)?, noted(fields.next()?, fields)?),
            "t" => {
                let id = parsed(fields.next()?)?;
                let tip = tip(fields)?;
                Self::Told(id, Arc::new(gist(tip, fields.next()?, fields)?))
            }
            "g" => Self::Gone(parsed(fields.next()?)?),
            "n" => Self::Names(Stamp {
                device: hex(fields.next()?)?,
                inode: hex(fields.next()?)?,
                changed: hex(fields.next()?)?,
            }),
            "k" => Self::Block(Label {
                rows: hex(fields.next()?)?,
                numbers: hex(fields.next()?)?,
                texts: hex(fields.next()?)?,
                shared: hex(fields.next()?)?,
                sum: u32::try_from(hex(fields.next()?)?).ok()?,
            }),
            _ => return None,
        };
        fields.next().is_none().then_some(line)
    }
}

fn sum(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes)
}

impl Fields {
    fn noted(&mut self, Noted { note, gist }: &Noted) -> &mut Self {
        let Note { updated_at, tip, end, inode, mark } = note;
        self.number(updated_at.millis()).number(*end).number(*inode).number(*mark);
        self.tip(*tip);
        match gist {
            Some(gist) => self.gist(gist),
            None => self,
        }
    }

    fn tip(&mut self, tip: Tip) -> &mut Self {
        let token = tip.token.map(|token| token.to_string());
        self.number(tip.position.number()).text(token.as_deref().unwrap_or_default())
    }

    fn gist(&mut self, gist: &Gist) -> &mut Self {
        let mut state = String::from(match gist.lifecycle {
            Lifecycle::Active => "a",
            Lifecycle::Closed => "c",
            Lifecycle::Deleted => "d",
        });
        for (is_so, sign) in
            [(gist.damaged, 'x'), (gist.incomplete, 'i'), (gist.occupant.is_some(), 'o')]
        {
            if is_so {
                state.push(sign);
            }
        }
        self.text(&state).number(gist.created_at.millis()).number(gist.updated_at.millis());
        self.number(gist.messages).optional(gist.title.as_deref());
        self.more(gist)
    }

    /// What a gist has that many do without, or have in common.
    fn more(&mut self, gist: &Gist) -> &mut Self {
        self.text(gist.project.as_ref().map(Name::as_str).unwrap_or_default());
        self.text(&gist.owner.map(|owner| owner.to_string()).unwrap_or_default());
        self.text(gist.parent.as_ref().map(SessionId::as_str).unwrap_or_default());
        if let Some(occupant) = &gist.occupant {
            self.text(&occupant.request).number(occupant.claim.number());
            self.number(occupant.since.millis());
            self.optional(occupant.holder.as_ref().map(Text::as_str));
        }
        for tag in gist.tags.iter() {
            self.text(tag);
        }
        self
    }
}

fn noted<'a>(first: &str, fields: &mut impl Iterator<Item = &'a str>) -> Option<Noted> {
    let updated_at = UnixMillis(hex(first)?);
    let (end, inode, mark) = (hex(fields.next()?)?, hex(fields.next()?)?, hex(fields.next()?)?);
    let tip = tip(fields)?;
    let note = Note { updated_at, tip, end, inode, mark };
    let gist = match fields.next() {
        Some(state) => Some(Arc::new(gist(tip, state, fields)?)),
        None => None,
    };
    Some(Noted { note, gist })
}

fn tip<'a>(fields: &mut impl Iterator<Item = &'a str>) -> Option<Tip> {
    let position = Position::new(hex(fields.next()?)?)?;
    let token: Option<Token> = parsed_if_any(fields.next()?).ok()?;
    Some(Tip { position, token })
}

fn gist<'a>(tip: Tip, state: &str, fields: &mut impl Iterator<Item = &'a str>) -> Option<Gist> {
    let mut signs = state.chars();
    let lifecycle = match signs.next()? {
        'a' => Lifecycle::Active,
        'c' => Lifecycle::Closed,
        'd' => Lifecycle::Deleted,
        _ => return None,
    };
    let flags = signs.as_str();
    let created_at = UnixMillis(hex(fields.next()?)?);
    let updated_at = UnixMillis(hex(fields.next()?)?);
    let messages = hex(fields.next()?)?;
    let title = optional(fields.next()?).ok()?.map(ByteString::from);
    let More { project, owner, parent, occupant, tags } = more(flags.contains('o'), fields)?;
    Some(Gist {
        tip,
        project,
        owner,
        parent,
        created_at,
        updated_at,
        title,
        tags,
        lifecycle,
        damaged: flags.contains('x'),
        incomplete: flags.contains('i'),
        messages,
        occupant,
    })
}

/// What a gist has that many do without, or have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct More {
    pub(crate) project: Option<Name>,
    pub(crate) owner: Option<Digest>,
    pub(crate) parent: Option<SessionId>,
    pub(crate) occupant: Option<Occupant>,
    pub(crate) tags: Arc<[String]>,
}

impl More {
    /// The text of it; none where there is nothing.
    pub(crate) fn encode(gist: &Gist) -> Option<String> {
        let is_held = gist.occupant.is_some();
        let has_any = gist.project.is_some() || gist.owner.is_some() || gist.parent.is_some();
        if !has_any && !is_held && gist.tags.is_empty() {
            return None;
        }
        let mut fields = Fields(String::from(if is_held { "o" } else { "" }));
        fields.more(gist);
        Some(fields.0)
    }

    /// What such a text tells.
    pub(crate) fn decode(text: &str) -> Option<Self> {
        let mut fields = text.split('\t');
        let is_held = match fields.next()? {
            "o" => true,
            "" => false,
            _ => return None,
        };
        more(is_held, &mut fields)
    }
}

fn more<'a>(is_held: bool, fields: &mut impl Iterator<Item = &'a str>) -> Option<More> {
    let project = parsed_if_any(fields.next()?).ok()?;
    let owner: Option<Digest> = parsed_if_any(fields.next()?).ok()?;
    let parent = parsed_if_any(fields.next()?).ok()?;
    let occupant = if is_held {
        let request = text(fields.next()?)?;
        let (claim, since) = (Seq::new(hex(fields.next()?)?)?, UnixMillis(hex(fields.next()?)?));
        let holder = optional(fields.next()?).ok()?.map(Text::from);
        Some(Occupant::new(request, claim, since).labelled(holder))
    } else {
        None
    };
    let tags: Option<Vec<String>> = fields.map(text).collect();
    Some(More { project, owner, parent, occupant, tags: tags?.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gist() -> Gist {
        let token = Token::from_random([7; 16]);
        let tip = Tip { position: Position::new(9).unwrap(), token: Some(token) };
        let occupant = Occupant::new("r\t1", Seq::new(3).unwrap(), UnixMillis(4));
        Gist {
            tip,
            project: Some("a\\b \u{1f600}".parse().unwrap()),
            owner: Some(Digest::of(b"alice")),
            parent: Some("Ses_0".parse().unwrap()),
            created_at: UnixMillis(1),
            updated_at: UnixMillis(u64::MAX),
            title: Some("".into()),
            tags: Arc::new(["\n".to_owned(), ".".to_owned(), String::new()]),
            lifecycle: Lifecycle::Closed,
            damaged: true,
            incomplete: true,
            messages: 12,
            occupant: Some(occupant.labelled(Some("who.".into()))),
        }
    }

    fn lines() -> Vec<Line> {
        let gist = gist();
        let note =
            Note { updated_at: UnixMillis(0), tip: gist.tip, end: 7, inode: 8, mark: u64::MAX };
        let plain = Gist { title: None, tags: Arc::new([]), occupant: None, ..gist.clone() };
        let id: SessionId = "Ses_1".parse().unwrap();
        let noted = |gist: Option<Gist>| Noted { note: note.clone(), gist: gist.map(Arc::new) };
        vec![
            Line::Boot("b".into()),
            Line::Open("h:1".into(), id.clone()),
            Line::Closed("h:1".into(), id.clone(), None),
            Line::Closed("h:1".into(), id.clone(), Some(noted(None))),
            Line::Found(id.clone(), noted(Some(gist.clone()))),
            Line::Former(id.clone(), noted(Some(plain))),
            Line::Told(id.clone(), Arc::new(gist)),
            Line::Gone(id),
            Line::Names(Stamp { device: 1, inode: 2, changed: 3 }),
            Line::Block(Label { rows: 1, numbers: 2, texts: 3, shared: 4, sum: u32::MAX }),
        ]
    }

    #[test]
    fn lines_come_back_and_none_that_is_altered_is_one() {
        for line in lines() {
            let mut text = String::new();
            line.encode(&mut text);
            let text = text.strip_suffix('\n').unwrap().as_bytes();
            assert!(!text.contains(&b'\n'));
            assert_eq!(Line::decode(text), Some(line.clone()));
            for at in 0..text.len() {
                let mut altered = text.to_vec();
                altered[at] ^= 1;
                assert_eq!(Line::decode(&altered), None, "{line:?}: byte {at}");
                assert_eq!(Line::decode(&text[..at]), None, "{line:?}: cut at {at}");
            }
        }
    }
}
