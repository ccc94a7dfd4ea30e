//! The fold against a model of its own, and against itself from wherever it goes on.

use proptest::prelude::*;

use super::desk::{Desk, fingerprint};
use crate::board::acknowledge::Acknowledge;
use crate::board::complete::Complete;
use crate::board::id::MessageId;
use crate::board::kind::{Closure, Kind};
use crate::board::post::Post;
use crate::board::refused::Refused;
use crate::board::replace::Replace;
use crate::board::resolve::{Resolve, Withdraw};
use crate::board::state::Board;

/// Something that is done with a board; messages are named by their place, counted from the last.
#[derive(Clone, Debug)]
enum Act {
    Post { kind: Kind, key: Option<u8>, text: u8, ack: bool },
    Reply { to: usize, text: u8 },
    Resolve { what: usize, text: Option<u8> },
    Withdraw { what: usize },
    Replace { what: usize, text: u8 },
    Ack { what: usize },
    Complete { what: usize, key: u8, text: u8 },
}

fn act() -> impl Strategy<Value = Act> {
    let kind = prop::sample::select(vec![Kind::Note, Kind::Todo, Kind::Answer, Kind::Question]);
    prop_oneof![
        3 => (kind, prop::option::of(0..4_u8), 0..3_u8, any::<bool>())
            .prop_map(|(kind, key, text, ack)| Act::Post { kind, key, text, ack }),
        3 => (0..6_usize, 0..3_u8).prop_map(|(to, text)| Act::Reply { to, text }),
        2 => (0..6_usize, prop::option::of(0..3_u8))
            .prop_map(|(what, text)| Act::Resolve { what, text }),
        1 => (0..6_usize).prop_map(|what| Act::Withdraw { what }),
        2 => (0..6_usize, 0..3_u8).prop_map(|(what, text)| Act::Replace { what, text }),
        1 => (0..6_usize).prop_map(|what| Act::Ack { what }),
        2 => (0..6_usize, 0..2_u8, 0..2_u8)
            .prop_map(|(what, key, text)| Act::Complete { what, key, text }),
    ]
}

/// A message as the model has it.
#[expect(clippy::struct_excessive_bools, reason = "each says one thing of a message")]
#[derive(Clone, Debug, PartialEq)]
struct Row {
    id: MessageId,
    kind: Kind,
    text: u8,
    ack: bool,
    reply_to: Option<MessageId>,
    open: bool,
    closure: Option<Closure>,
    resolution: Option<u8>,
    acked: bool,
    by: Option<MessageId>,
    completed: Option<(u8, u8, MessageId)>,
    changed: u64,
    lost: bool,
}

/// What a board is, said another way: a list and two numbers.
#[derive(Debug, Default)]
struct Model {
    rows: Vec<Row>,
    keys: Vec<(u8, MessageId, (Kind, u8, bool))>,
    now: u64,
    floor: u64,
    most: usize,
}

impl Model {
    fn place(&self, id: &MessageId) -> Option<usize> {
        self.rows.iter().position(|row| row.id == *id)
    }

    fn change(&mut self, place: usize) -> &mut Row {
        self.now += 1;
        let now = self.now;
        let row = &mut self.rows[place];
        row.changed = now;
        row
    }

    fn add(&mut self, id: &MessageId, kind: Kind, text: u8) -> &mut Row {
        self.now += 1;
        self.rows.push(Row {
            id: id.clone(),
            kind,
            text,
            ack: false,
            reply_to: None,
            open: true,
            closure: None,
            resolution: None,
            acked: false,
            by: None,
            completed: None,
            changed: self.now,
            lost: false,
        });
        self.rows.last_mut().unwrap()
    }

    fn evict(&mut self, frees_keys: bool, spared: impl Fn(&Row) -> bool) {
        while self.rows.len() > self.most {
            let place = self.rows.iter().position(|row| !spared(row)).unwrap();
            let gone = self.rows.remove(place);
            self.floor = self.floor.max(gone.changed);
            if frees_keys {
                self.keys.retain(|(_, id, _)| *id != gone.id);
            }
            if let Some(task) = gone.reply_to.and_then(|id| self.place(&id)) {
                self.rows[task].lost = true;
            }
        }
    }

    /// Whether one more message finds room without those that are spared.
    fn has_room(&self, spared: impl Fn(&Row) -> bool) -> bool {
        self.rows.len() < self.most || self.rows.iter().any(|row| !spared(row))
    }
}

/// The name of what was answered, short.
fn name<T>(answer: &Result<T, Refused>) -> &'static str {
    match answer {
        Ok(_) => "done",
        Err(Refused::DeliveryKeyConflict) => "key",
        Err(Refused::MessageNotOpen(_)) => "not open",
        Err(Refused::IdempotencyConflict(_)) => "other words",
        Err(Refused::InvalidInput(_)) => "invalid",
        Err(Refused::BoardFull) => "full",
        Err(Refused::NotTodo(_)) => "no task",
        Err(Refused::AssignmentStale(_)) => "stale",
        Err(Refused::AssignmentHistoryLost(_)) => "lost",
        Err(Refused::AlreadyCompleted { .. }) => "completed",
        Err(Refused::InvalidCompletionState(_)) => "unfit",
        Err(_) => "else",
    }
}

/// Does something with a board and with the model; answers what each says of it.
#[expect(clippy::too_many_lines, reason = "one arm for each act")]
fn carry_out(desk: &mut Desk, model: &mut Model, act: &Act) -> (&'static str, &'static str) {
    let count = model.rows.len();
    let named = |back: usize| (back < count).then(|| model.rows[count - 1 - back].clone());
    match *act {
        Act::Post { kind, key, text, ack } => {
            let mut post = Post::new(kind, text.to_string());
            post = if ack { post.requires_ack() } else { post };
            post = match key {
                Some(key) => post.keyed(fingerprint(9), key.to_string()),
                None => post,
            };
            let answer = desk.send(&post);
            let said = (kind, text, ack);
            let known = key.and_then(|key| model.keys.iter().find(|it| it.0 == key).cloned());
            let expected = match known {
                Some((_, id, payload)) if payload == said && model.place(&id).is_some() => {
                    assert_eq!(answer.as_ref().map(|it| (&it.id, it.replayed)), Ok((&id, true)));
                    "done"
                }
                Some(_) => "key",
                None => {
                    let id = answer.as_ref().unwrap().id.clone();
                    model.add(&id, kind, text).ack = ack;
                    model.keys.extend(key.map(|key| (key, id, said)));
                    model.evict(true, |_| false);
                    "done"
                }
            };
            (name(&answer), expected)
        }
        Act::Reply { to, text } => {
            let Some(to) = named(to) else { return ("", "") };
            let answer = desk.send(&Post::reply(&to.id, Kind::Note, text.to_string()));
            let id = answer.as_ref().unwrap().id.clone();
            model.add(&id, Kind::Note, text).reply_to = Some(to.id);
            model.evict(true, |_| false);
            (name(&answer), "done")
        }
        Act::Resolve { what, text } => {
            let Some(row) = named(what) else { return ("", "") };
            let mut resolve = Resolve::new(&row.id);
            if let Some(text) = text {
                resolve = resolve.resolution(text.to_string());
            }
            let answer = desk.send(&resolve);
            if row.closure.is_some() {
                return (name(&answer), "not open");
            }
            if row.open || text.is_some_and(|text| row.resolution != Some(text)) {
                let place = model.place(&row.id).unwrap();
                let row = model.change(place);
                row.open = false;
                row.resolution = text.or(row.resolution);
            }
            (name(&answer), "done")
        }
        Act::Withdraw { what } => {
            let Some(row) = named(what) else { return ("", "") };
            let answer = desk.send(&Withdraw::new(&row.id));
            let expected = match (row.kind, row.closure, row.open) {
                (Kind::Answer, ..) => "invalid",
                (_, Some(Closure::Withdrawn), _) => "done",
                (_, _, false) => "not open",
                (_, _, true) => {
                    let place = model.place(&row.id).unwrap();
                    let row = model.change(place);
                    (row.open, row.closure) = (false, Some(Closure::Withdrawn));
                    "done"
                }
            };
            (name(&answer), expected)
        }
        Act::Replace { what, text } => {
            let Some(row) = named(what) else { return ("", "") };
            let answer = desk.send(&Replace::new(&row.id, text.to_string()));
            let by = row.by.as_ref().and_then(|by| Some(model.rows[model.place(by)?].text));
            let expected = match (row.kind, row.closure, row.open) {
                (Kind::Answer, ..) => "invalid",
                (_, Some(Closure::Superseded), _) if by == Some(text) => "done",
                (_, Some(Closure::Superseded), _) => "other words",
                (_, _, false) => "not open",
                _ if !model.has_room(|it| it.id == row.id) => "full",
                _ => {
                    let id = answer.as_ref().unwrap().id.clone();
                    let place = model.place(&row.id).unwrap();
                    let was = model.change(place);
                    (was.open, was.closure) = (false, Some(Closure::Superseded));
                    was.by = Some(id.clone());
                    let new = model.add(&id, row.kind, text);
                    (new.reply_to, new.ack) = (row.reply_to, row.ack);
                    model.evict(false, |it| it.id == row.id || it.id == id);
                    "done"
                }
            };
            (name(&answer), expected)
        }
        Act::Ack { what } => {
            let Some(row) = named(what) else { return ("", "") };
            let answer = desk.send(&Acknowledge::ids([&row.id]));
            if row.open && row.ack && !row.acked {
                let place = model.place(&row.id).unwrap();
                model.change(place).acked = true;
            }
            (name(&answer), "done")
        }
        Act::Complete { what, key, text } => {
            let Some(row) = named(what) else { return ("", "") };
            // Whoever repeats it has the fence of the first time: any other is too late or void.
            let fence = desk.assigned(&row.id).map(|it| it.fence.as_str().to_owned());
            let fence = fence.unwrap_or_else(|_| format!("wsa2_{}", "A".repeat(22)));
            let body = text.to_string();
            let complete = Complete::new(&row.id, fence, fingerprint(key), "s2", body);
            let answer = desk.send(&complete);
            let expected = match (row.kind, row.open, &row.completed) {
                (Kind::Todo, true, _) if row.lost => "lost",
                (Kind::Todo, true, _) => {
                    let spared =
                        |it: &Row| it.id == row.id || it.reply_to.as_ref() == Some(&row.id);
                    if !model.has_room(spared) {
                        return (name(&answer), "full");
                    }
                    let id = answer.as_ref().unwrap().id.clone();
                    let place = model.place(&row.id).unwrap();
                    let task = model.change(place);
                    task.open = false;
                    task.completed = Some((key, text, id.clone()));
                    model.add(&id, Kind::Answer, text).reply_to = Some(row.id.clone());
                    model.evict(false, spared);
                    "done"
                }
                (Kind::Todo, false, None) => "stale",
                (Kind::Todo, false, Some((_, _, id))) if model.place(id).is_none() => "unfit",
                (Kind::Todo, false, Some((known, ..))) if *known != key => "completed",
                (Kind::Todo, false, Some(_)) => "other words",
                _ => "no task",
            };
            (name(&answer), expected)
        }
    }
}

/// The rows of a board, as far as the model has them.
fn rows(board: &Board, model: &Model) -> Vec<Row> {
    let row = |(message, known): (&crate::board::message::Message, &Row)| Row {
        id: message.id.clone(),
        kind: message.kind,
        ack: message.requires_ack,
        reply_to: message.reply_to.clone(),
        open: message.is_open(),
        closure: message.closure,
        acked: message.acknowledged_at.is_some(),
        by: message.superseded_by.clone(),
        changed: message.revision,
        lost: message.lost_replies,
        ..known.clone()
    };
    board.messages().zip(&model.rows).map(row).collect()
}

proptest! {
    #[test]
    fn a_board_is_what_a_model_of_its_own_says(
        acts in prop::collection::vec(act(), 1..40),
        most in 1..8_usize,
    ) {
        let mut desk = Desk::keeping(most);
        let mut model = Model { most, ..Model::default() };
        for act in &acts {
            let (answer, expected) = carry_out(&mut desk, &mut model, act);
            prop_assert_eq!(answer, expected, "{:?}", act);
            prop_assert_eq!(desk.board.len(), model.rows.len(), "{:?}", act);
            prop_assert_eq!(&rows(&desk.board, &model), &model.rows, "{:?}", act);
            let numbers = (desk.board.revision(), desk.board.floor());
            prop_assert_eq!(numbers, (model.now, model.floor), "{:?}", act);
        }
    }

    #[test]
    fn going_on_from_any_state_comes_to_the_same_as_from_the_start_also_without_the_words(
        acts in prop::collection::vec(act(), 1..40),
        most in 1..8_usize,
        redacted in prop::collection::vec(any::<bool>(), 64),
    ) {
        let mut desk = Desk::keeping(most);
        let mut model = Model { most, ..Model::default() };
        for act in &acts {
            carry_out(&mut desk, &mut model, act);
        }
        let mut masked = desk.entries.clone();
        for (entry, is_redacted) in masked.iter_mut().zip(&redacted) {
            if *is_redacted {
                entry.redact().unwrap();
            }
        }
        let mut whole = Board::default();
        for (seen, entry) in masked.iter().enumerate() {
            let mut resumed = Board::restore(&whole.save()).unwrap();
            prop_assert_eq!(&resumed, &whole);
            // What is kept up says byte for byte what is taken up.
            for later in &desk.entries[seen..] {
                resumed.apply(later);
            }
            prop_assert_eq!(resumed.save(), desk.board.save());
            whole.apply(entry);
        }
        prop_assert_eq!(&whole, &desk.board);
    }
}
