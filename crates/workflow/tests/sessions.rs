//! Random steps of several authorities through several handles, compared with a plain model.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test stops where something is not as it should be"
)]

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use sessile_core::Error;
use sessile_core::fold::Lifecycle;
use sessile_engine::Store;
use sessile_memory::MemoryBackend;
use sessile_workflow::board::{Kind, Post, Priority, Standing};
use sessile_workflow::{Begin, Discover, Event, Options, Problem, Summary, Workflow};

const PROJECTS: [&str; 2] = ["shop", "bank"];
const MODES: [&str; 2] = ["normal", "read_only"];
const GUARDS: [&str; 3] = ["network", "shell", "write"];
const WINDOW: usize = 4;

/// What is asked of a session, or for a new one where there is no such one.
#[derive(Clone, Debug)]
struct Ask {
    session: Option<usize>,
    project: usize,
    mode: Option<usize>,
    deny: Vec<usize>,
    verified: bool,
    context: Option<u8>,
    instruction: Option<u8>,
}

#[derive(Clone, Debug)]
enum Act {
    Begin(Ask),
    Record { session: usize, once: Option<u8> },
    Instruct { session: usize, text: u8 },
    SetContext { session: usize, context: u8 },
    Close { session: usize },
    Delete { session: usize },
}

/// An act, by whom, and by which handle.
#[derive(Clone, Debug)]
struct Step {
    act: Act,
    by: usize,
    handle: usize,
}

fn step() -> impl Strategy<Value = Step> {
    let session = || 0..4_usize;
    let deny = prop::collection::vec(0..GUARDS.len(), 0..3);
    let ask = (
        prop::option::weighted(0.8, session()),
        prop_oneof![5 => Just(0_usize), 1 => Just(1)],
        prop::option::of(0..MODES.len()),
        deny,
        any::<bool>(),
        prop::option::of(0..3_u8),
        prop::option::of(0..9_u8),
    );
    let ask = ask.prop_map(|(session, project, mode, deny, verified, context, instruction)| {
        Act::Begin(Ask { session, project, mode, deny, verified, context, instruction })
    });
    let act = prop_oneof![
        6 => ask,
        5 => (session(), prop::option::of(0..3_u8))
            .prop_map(|(session, once)| Act::Record { session, once }),
        2 => (session(), 0..9_u8).prop_map(|(session, text)| Act::Instruct { session, text }),
        2 => (session(), 0..3_u8)
            .prop_map(|(session, context)| Act::SetContext { session, context }),
        1 => session().prop_map(|session| Act::Close { session }),
        1 => session().prop_map(|session| Act::Delete { session }),
    ];
    let by = prop_oneof![6 => Just(0_usize), 1 => Just(1)];
    (act, by, 0..2_usize).prop_map(|(act, by, handle)| Step { act, by, handle })
}

/// What is known of a session.
#[derive(Clone, Debug)]
struct Known {
    id: String,
    owner: usize,
    project: usize,
    lifecycle: Lifecycle,
    title: Option<String>,
    mode: usize,
    deny: BTreeSet<usize>,
    context: u8,
    /// What each event is, and of instructions what they say.
    events: Vec<(&'static str, Option<String>)>,
    once: BTreeSet<u8>,
}

/// A context; the first one is none.
fn context(number: u8) -> Value {
    if number == 0 { json!({}) } else { json!({"at": number}) }
}

fn denies(mode: usize, deny: &[usize]) -> BTreeSet<usize> {
    let always: &[usize] = if mode == 1 { &[1, 2] } else { &[] };
    deny.iter().chain(always).copied().collect()
}

#[derive(Clone, Debug, Default)]
struct Model(Vec<Known>);

impl Model {
    fn id(&self, session: usize) -> String {
        let known = self.0.get(session);
        known.map_or_else(|| "ses_nobody".to_owned(), |known| known.id.clone())
    }

    /// A session for whoever asks, or why there is none.
    fn of(&mut self, by: usize, session: usize) -> Result<&mut Known, Problem> {
        let known = self.0.get_mut(session).filter(|known| known.owner == by);
        match known {
            None => Err(Problem::Unknown),
            Some(known) if known.lifecycle == Lifecycle::Deleted => Err(Problem::Expired),
            Some(known) => Ok(known),
        }
    }

    fn active(&mut self, by: usize, session: usize) -> Result<&mut Known, Problem> {
        let known = self.of(by, session)?;
        if known.lifecycle == Lifecycle::Active { Ok(known) } else { Err(Problem::NotActive) }
    }

    fn resume(&mut self, by: usize, session: usize, ask: &Ask) -> Result<(), Problem> {
        let known = self.active(by, session)?;
        if known.project != ask.project {
            return Err(Problem::OtherProject);
        }
        let mode = ask.mode.unwrap_or(known.mode);
        let mut deny = denies(mode, &ask.deny);
        if mode == known.mode {
            deny.extend(&known.deny);
        } else if known.deny.contains(&2) && !deny.contains(&2) && !ask.verified {
            return Err(Problem::ScopeRequired("write".to_owned()));
        }
        (known.mode, known.deny) = (mode, deny);
        known.context = ask.context.unwrap_or(known.context);
        if let Some(text) = ask.instruction {
            known.instruct(text);
        }
        Ok(())
    }
}

impl Known {
    fn instruct(&mut self, text: u8) {
        let text = format!("do {text}");
        self.title.get_or_insert_with(|| text.clone());
        self.events.push(("instruction", Some(text)));
    }

    /// Fails unless a summary tells what is known.
    fn compare(&self, told: &Summary) {
        assert_eq!(told.id.as_str(), self.id);
        assert_eq!(told.lifecycle, self.lifecycle);
        assert_eq!(told.title, self.title);
        assert_eq!(told.guards.mode, MODES[self.mode]);
        let denied: Vec<&str> = told.guards.deny.iter().map(String::as_str).collect();
        let expected: Vec<&str> = self.deny.iter().map(|it| GUARDS[*it]).collect();
        assert_eq!(denied, expected);
        let has: Option<Value> = told.context.as_ref().map(|it| it.decode().unwrap());
        assert_eq!(has, Some(context(self.context)).filter(|_| self.context > 0));
        assert_eq!(usize::try_from(told.events_total).unwrap(), self.events.len());
        let first = self.events.len().saturating_sub(WINDOW);
        let kinds: Vec<&str> = told.events.iter().map(|it| it.kind.as_str()).collect();
        let expected: Vec<&str> = self.events[first..].iter().map(|it| it.0).collect();
        assert_eq!(kinds, expected);
        assert_eq!(
            told.instruction.as_ref().and_then(|it| it.text.clone()),
            self.told_by(usize::MAX)
        );
    }

    /// The last instruction among the first so many events.
    fn told_by(&self, count: usize) -> Option<String> {
        self.events.iter().take(count).rev().find_map(|it| it.1.clone())
    }
}

/// An answer, with nothing but why it is refused.
fn why<T>(answer: Result<T, Error>) -> Result<T, Problem> {
    answer.map_err(|error| Problem::of(&error).cloned().unwrap_or_else(|| panic!("{error:?}")))
}

fn handles(backend: &MemoryBackend) -> Vec<[Workflow; 2]> {
    let handle = |every| {
        let mut options = Options::default();
        options.event_window = WINDOW;
        let engine = sessile_engine::Options::default().state_every(every, 1 << 20);
        let store = Store::with(Arc::new(backend.clone()), Workflow::engine(engine, &options));
        let workflow = Workflow::on(store, options).unwrap();
        [0, 1].map(|owner: u8| workflow.as_owner([owner]))
    };
    vec![handle(3), handle(1_000)]
}

/// Begins or continues a session in the store and in the model, and compares the answers.
async fn begin(workflow: &Workflow, model: &mut Model, by: usize, ask: &Ask) {
    let mut begin = Begin::new().project(PROJECTS[ask.project]);
    if let Some(mode) = ask.mode {
        begin = begin.mode(MODES[mode]);
    }
    begin = ask.deny.iter().fold(begin, |begin, it| begin.deny(GUARDS[*it]));
    if ask.verified {
        begin = begin.scope_verified();
    }
    if let Some(number) = ask.context {
        begin = begin.context(&context(number));
    }
    if let Some(text) = ask.instruction {
        begin = begin.instruction(format!(" do {text} "));
    }
    let Some(session) = ask.session else {
        let told = workflow.begin(begin).await.unwrap();
        let mode = ask.mode.unwrap_or(0);
        let mut known = Known {
            id: told.summary.id.to_string(),
            owner: by,
            project: ask.project,
            lifecycle: Lifecycle::Active,
            title: None,
            mode,
            deny: denies(mode, &ask.deny),
            context: ask.context.unwrap_or(0),
            events: Vec::new(),
            once: BTreeSet::new(),
        };
        ask.instruction.into_iter().for_each(|text| known.instruct(text));
        known.compare(&told.summary);
        assert!(!told.reused && told.before.is_none());
        model.0.push(known);
        return;
    };
    let told = why(workflow.begin(begin.resume(model.id(session))).await);
    let before = model.0.get(session).cloned();
    let expected = model.resume(by, session, ask);
    assert_eq!(told.as_ref().err(), expected.as_ref().err());
    if let Ok(told) = told {
        let (before, after) = (before.unwrap(), &model.0[session]);
        before.compare(told.before.as_ref().unwrap());
        after.compare(&told.summary);
        let changed = (before.mode, &before.deny) != (after.mode, &after.deny);
        assert_eq!(told.capability_changed, changed);
        assert_eq!(told.context_changed, before.context != after.context);
    }
}

/// Takes a step in the store and in the model, and compares the answers.
async fn take(workflow: &Workflow, model: &mut Model, by: usize, act: &Act) {
    let id = |session: usize| model.id(session);
    match act {
        Act::Begin(ask) => begin(workflow, model, by, ask).await,
        Act::Record { session, once } => {
            let event = Event::new("x").body(&once).unwrap();
            let event = once.map_or(event.clone(), |it| event.once(it.to_string()));
            let told = why(workflow.record(&id(*session), event).await);
            let known = model.of(by, *session);
            assert_eq!(told.as_ref().err(), known.as_ref().err());
            if let (Ok(told), Ok(known)) = (told, known) {
                let is_new = once.is_none_or(|it| known.once.insert(it));
                assert_eq!(told.replayed, !is_new);
                known.events.extend(is_new.then_some(("x", None)));
            }
        }
        Act::Instruct { session, text } => {
            let told = why(workflow.instruct(&id(*session), &format!("do {text}"), None).await);
            let known = model.active(by, *session);
            assert_eq!(told.as_ref().err(), known.as_ref().err());
            if let Ok(known) = known {
                known.instruct(*text);
            }
        }
        Act::SetContext { session, context: number } => {
            let told = why(workflow.set_context(&id(*session), &context(*number)).await);
            let known = model.active(by, *session);
            assert_eq!(told.as_ref().err(), known.as_ref().err());
            if let (Ok(told), Ok(known)) = (told, known) {
                assert_eq!(told.changed, known.context != *number);
                assert_eq!(told.previous.is_some(), known.context > 0);
                known.context = *number;
                known.events.push(("context_set", None));
            }
        }
        Act::Close { session } => {
            let told = why(workflow.close(&id(*session)).await);
            let known = model.of(by, *session);
            assert_eq!(told.as_ref().err(), known.as_ref().err());
            if let (Ok(told), Ok(known)) = (told, known) {
                let was_closed = known.lifecycle == Lifecycle::Closed;
                assert_eq!(told.already_closed, was_closed);
                known.lifecycle = Lifecycle::Closed;
                known.events.extend((!was_closed).then_some(("closed", None)));
            }
        }
        Act::Delete { session } => {
            if let Some(known) = model.0.get_mut(*session) {
                workflow.store().delete(&*known.id).await.unwrap();
                known.lifecycle = Lifecycle::Deleted;
            }
        }
    }
}

/// Fails unless a handle tells of every session what the model knows.
async fn compare_all(workflow: &Workflow, by: usize, model: &Model) {
    for known in &model.0 {
        let told = why(workflow.summary(&known.id, None).await);
        match (known.owner == by, known.lifecycle) {
            (false, _) => assert_eq!(told.unwrap_err(), Problem::Unknown),
            (true, Lifecycle::Deleted) => assert_eq!(told.unwrap_err(), Problem::Expired),
            (true, _) => {
                known.compare(&told.unwrap());
                for count in 0..=known.events.len() + 1 {
                    let at = u64::try_from(count).unwrap();
                    let told = workflow.instruction_at(&known.id, at).await.unwrap();
                    let expected = known.told_by(count).filter(|_| count <= known.events.len());
                    assert_eq!(told.and_then(|it| it.text), expected, "after {count}");
                }
            }
        }
    }
    for (number, project) in PROJECTS.iter().enumerate() {
        let found = workflow.discover(Discover::project(project.parse().unwrap())).await.unwrap();
        let is_found = |it: &&Known| {
            it.owner == by && it.project == number && it.lifecycle != Lifecycle::Deleted
        };
        let expected: BTreeSet<&str> =
            model.0.iter().filter(is_found).map(|it| it.id.as_str()).collect();
        assert_eq!(found.total, expected.len());
        let ids: BTreeSet<&str> = found.sessions.iter().map(|it| it.id.as_str()).collect();
        assert!(ids.is_subset(&expected) && ids.len() == expected.len().min(20));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn sessions_are_what_a_plain_model_says(steps in prop::collection::vec(step(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let backend = MemoryBackend::new();
            let (handles, mut model) = (handles(&backend), Model::default());
            for Step { act, by, handle } in &steps {
                Box::pin(take(&handles[*handle][*by], &mut model, *by, act)).await;
            }
            for handle in handles.iter().chain(&self::handles(&backend)) {
                for (by, workflow) in handle.iter().enumerate() {
                    compare_all(workflow, by, &model).await;
                }
            }
        });
    }
}

#[tokio::test]
async fn a_summary_counts_what_stands_on_the_board() {
    let backend = MemoryBackend::new();
    let [workflow, _] = &handles(&backend)[0];
    let begun = workflow.begin(Begin::new().project("shop")).await.unwrap();
    assert_eq!(begun.summary.messages, Some(Standing::default()));
    let id = begun.summary.id;
    let board = workflow.board(id.as_str()).await.unwrap();
    board.post(Post::new(Kind::Todo, "test it")).await.unwrap();
    board.post(Post::new(Kind::Note, "by the way")).await.unwrap();
    let told = workflow.summary(id.as_str(), None).await.unwrap().messages.unwrap();
    let counts: Vec<_> = told.counts.iter().map(|it| (it.kind, it.total, it.open)).collect();
    assert_eq!(counts, [(Kind::Note, 1, 1), (Kind::Todo, 1, 1)]);
    assert_eq!((told.waiting, told.top_priority), (1, Some(Priority::Normal)));
}
