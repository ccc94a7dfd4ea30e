//! How entries change the board.

use sessile_core::digest::Digest;
use sessile_core::entry::shape;
use sessile_core::{Entry, EntryType};

use super::delivery;
use super::id::MessageId;
use super::kind::{Closure, Kind, Priority, Status};
use super::message::{Message, Resolution};
use super::state::{Board, Delivery};

impl Board {
    /// Folds an entry of the board; others change nothing.
    ///
    /// One that can't be understood, or that speaks of a message which is not there, counts as a
    /// change that is lost: who looks for changes is told so, and assignments are not vouched for.
    pub(crate) fn apply(&mut self, entry: &Entry) {
        let done = match entry.entry_type {
            EntryType::Post => self.take_post(entry),
            EntryType::Resolve => self.take_resolve(entry),
            EntryType::Withdraw => self.take_withdraw(entry),
            EntryType::Replace => self.take_replace(entry),
            EntryType::Ack => self.take_ack(entry),
            EntryType::Complete => self.take_complete(entry),
            _ => Some(()),
        };
        if done.is_none() {
            self.floor = self.step();
            self.incomplete = true;
        }
    }

    fn take_post(&mut self, entry: &Entry) -> Option<()> {
        let post: shape::Post = entry.data.decode().ok()?;
        let kind = Kind::from_name(&post.kind)?;
        let message = Message {
            reply_to: post.reply_to.map(MessageId::from),
            from: post.from,
            requires_ack: post.requires_ack,
            ..posted(entry, post.id.into(), kind, priority(post.priority)?, post.content)
        };
        let delivery = post.key.map(|key| {
            let (reply_to, ack) = (message.reply_to.as_ref(), message.requires_ack);
            let payload = delivery::payload(kind, post.content, reply_to, message.priority, ack);
            (key, Delivery { message: message.id.clone(), payload })
        });
        self.add(message)?;
        self.deliveries.extend(delivery);
        for id in post.evicts {
            if let Some(gone) = self.evict(&id.into()) {
                // A promise to recognise a repeat lasts as long as its message.
                self.deliveries.retain(|_, delivery| delivery.message != gone.id);
            }
        }
        Some(())
    }

    fn take_resolve(&mut self, entry: &Entry) -> Option<()> {
        let resolve: shape::Resolve = entry.data.decode().ok()?;
        let revision = self.revision.saturating_add(1);
        let message = self.message_mut(&resolve.id.into())?;
        message.status = Status::Resolved;
        if let Some(content) = resolve.content {
            message.resolution = Some(Resolution { at: entry.seq, content });
        }
        touch(message, entry, revision);
        self.revision = revision;
        Some(())
    }

    fn take_withdraw(&mut self, entry: &Entry) -> Option<()> {
        let withdraw: shape::Withdraw = entry.data.decode().ok()?;
        let revision = self.revision.saturating_add(1);
        let message = self.message_mut(&withdraw.id.into())?;
        message.status = Status::Resolved;
        message.closure = Some(Closure::Withdrawn);
        touch(message, entry, revision);
        self.revision = revision;
        Some(())
    }

    fn take_replace(&mut self, entry: &Entry) -> Option<()> {
        let replace: shape::Replace = entry.data.decode().ok()?;
        let (id, by) = (MessageId::from(replace.id), MessageId::from(replace.by));
        if self.places.contains_key(&by) {
            return None;
        }
        let revision = self.revision.saturating_add(1);
        let original = self.message_mut(&id)?;
        original.status = Status::Resolved;
        original.closure = Some(Closure::Superseded);
        original.superseded_by = Some(by.clone());
        touch(original, entry, revision);
        let message = Message {
            reply_to: original.reply_to.clone(),
            from: original.from.clone(),
            requires_ack: original.requires_ack,
            supersedes: Some(id),
            tags_at: original.tags_at,
            ..posted(entry, by, original.kind, original.priority, replace.content)
        };
        self.revision = revision;
        self.add(message)?;
        self.evict_all(replace.evicts);
        Some(())
    }

    fn take_ack(&mut self, entry: &Entry) -> Option<()> {
        let ack: shape::Ack = entry.data.decode().ok()?;
        let revision = self.revision.saturating_add(1);
        let message = self.message_mut(&ack.id.into())?;
        if message.acknowledged_at.is_none() {
            message.acknowledged_at = Some(entry.at);
            touch(message, entry, revision);
            self.revision = revision;
        }
        Some(())
    }

    fn take_complete(&mut self, entry: &Entry) -> Option<()> {
        let complete: shape::Complete = entry.data.decode().ok()?;
        let (id, answer) = (MessageId::from(complete.id), MessageId::from(complete.answer));
        let priority = priority(complete.priority)?;
        if self.places.contains_key(&answer) {
            return None;
        }
        let revision = self.revision.saturating_add(1);
        let task = self.message_mut(&id)?;
        task.status = Status::Resolved;
        task.resolved_by = Some(answer.clone());
        task.completion = Some(complete.completion);
        task.fence = complete.fence;
        touch(task, entry, revision);
        self.revision = revision;
        self.add(Message {
            reply_to: Some(id),
            from: complete.from,
            completion: Some(complete.completion),
            ..posted(entry, answer, Kind::Answer, priority, complete.content)
        })?;
        self.evict_all(complete.evicts);
        Some(())
    }

    /// Puts a message on the board; none where its id is taken.
    fn add(&mut self, mut message: Message) -> Option<()> {
        if self.places.contains_key(&message.id) {
            return None;
        }
        message.revision = self.step();
        let place = self.posted;
        self.posted += 1;
        self.places.insert(message.id.clone(), place);
        self.messages.insert(place, message);
        Some(())
    }

    fn evict_all(&mut self, ids: Vec<String>) {
        for id in ids {
            drop(self.evict(&id.into()));
        }
    }

    /// Takes a message off the board. That it was a reply its task remembers.
    fn evict(&mut self, id: &MessageId) -> Option<Message> {
        let message = self.messages.remove(&self.places.remove(id)?)?;
        self.floor = self.floor.max(message.revision);
        if let Some(task) = message.reply_to.as_ref().and_then(|task| self.message_mut(task)) {
            task.lost_replies = true;
        }
        Some(message)
    }
}

/// A message as it is when it has just been posted, under the next revision.
fn posted(
    entry: &Entry,
    id: MessageId,
    kind: Kind,
    priority: Priority,
    content: Digest,
) -> Message {
    Message {
        id,
        kind,
        priority,
        status: Status::Open,
        closure: None,
        reply_to: None,
        from: None,
        created_at: entry.at,
        updated_at: entry.at,
        revision: 0,
        requires_ack: false,
        acknowledged_at: None,
        resolved_by: None,
        completion: None,
        supersedes: None,
        superseded_by: None,
        content,
        text_at: entry.seq,
        tags_at: entry.seq,
        resolution: None,
        fence: None,
        lost_replies: false,
    }
}

fn touch(message: &mut Message, entry: &Entry, revision: u64) {
    message.updated_at = entry.at;
    message.revision = revision;
}

/// The priority that an entry names, which is the usual one if it names none.
fn priority(name: Option<String>) -> Option<Priority> {
    name.map_or(Some(Priority::Normal), |name| Priority::from_name(&name))
}
