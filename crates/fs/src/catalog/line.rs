//! The lines of a catalog: a checksum, what it tells, and fields that tabs part.

use std::fmt::Write as _;
use std::str::FromStr;
use std::sync::Arc;

use sessile_core::backend::Gist;
use sessile_core::commit::Tip;
use sessile_core::digest::{Digest, Token};
use sessile_core::error::Occupant;
use sessile_core::fold::Lifecycle;
use sessile_core::id::{Name, SessionId};
use sessile_core::position::{Position, Seq};
use sessile_core::text::Text;
use sessile_core::time::UnixMillis;

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
            _ => return None,
        };
        fields.next().is_none().then_some(line)
    }
}

fn sum(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes)
}

/// Fields that are being written, a tab before each.
struct Fields(String);

impl Fields {
    fn kind(&mut self, kind: char) -> &mut Self {
        self.0.push('\t');
        self.0.push(kind);
        self
    }

    fn number(&mut self, number: u64) -> &mut Self {
        let _always_fits = write!(self.0, "\t{number:x}");
        self
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.0.push('\t');
        for sign in text.chars() {
            match sign {
                '\t' => self.0.push_str("\\t"),
                '\n' => self.0.push_str("\\n"),
                '\\' => self.0.push_str("\\\\"),
                other => self.0.push(other),
            }
        }
        self
    }

    /// A text that may be missing, which an empty one is not.
    fn optional(&mut self, text: Option<&str>) -> &mut Self {
        match text {
            Some(text) => {
                self.text(text);
                self.0.push('.');
                self
            }
            None => self.text(""),
        }
    }

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

fn hex(field: &str) -> Option<u64> {
    let is_plain = field.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_plain.then(|| u64::from_str_radix(field, 16).ok()).flatten()
}

fn text(field: &str) -> Option<String> {
    let mut text = String::with_capacity(field.len());
    let mut rest = field;
    while let Some((before, after)) = rest.split_once('\\') {
        text.push_str(before);
        let mut signs = after.chars();
        text.push(match signs.next()? {
            't' => '\t',
            'n' => '\n',
            '\\' => '\\',
            _ => return None,
        });
        rest = signs.as_str();
    }
    text.push_str(rest);
    Some(text)
}

/// A field that is none of ours.
struct Foreign;

fn optional(field: &str) -> Result<Option<String>, Foreign> {
    match field.strip_suffix('.') {
        Some(field) => text(field).map(Some).ok_or(Foreign),
        None if field.is_empty() => Ok(None),
        None => Err(Foreign),
    }
}

fn parsed<T: FromStr>(field: &str) -> Option<T> {
    if field.contains('\\') { text(field)?.parse().ok() } else { field.parse().ok() }
}

fn parsed_if_any<T: FromStr>(field: &str) -> Result<Option<T>, Foreign> {
    if field.is_empty() { Ok(None) } else { parsed(field).map(Some).ok_or(Foreign) }
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
    let title = optional(fields.next()?).ok()?.map(Arc::from);
    let project = parsed_if_any(fields.next()?).ok()?;
    let owner: Option<Digest> = parsed_if_any(fields.next()?).ok()?;
    let parent = parsed_if_any(fields.next()?).ok()?;
    let occupant = if flags.contains('o') {
        let request = text(fields.next()?)?;
        let (claim, since) = (Seq::new(hex(fields.next()?)?)?, UnixMillis(hex(fields.next()?)?));
        let holder = optional(fields.next()?).ok()?.map(Text::from);
        Some(Occupant::new(request, claim, since).labelled(holder))
    } else {
        None
    };
    let tags: Option<Vec<String>> = fields.map(text).collect();
    Some(Gist {
        tip,
        project,
        owner,
        parent,
        created_at,
        updated_at,
        title,
        tags: tags?.into(),
        lifecycle,
        damaged: flags.contains('x'),
        incomplete: flags.contains('i'),
        messages,
        occupant,
    })
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
