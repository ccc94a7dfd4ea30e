//! Each fault at each kind of write: who asked is told the truth, and a process that was started
//! after it finds that.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::{FutureExt as _, StreamExt as _, stream};
use sessile_core::backend::{Collection, DocKey};
use sessile_core::id::{SessionKey, Space};
use sessile_core::{Backend, Error, ErrorKind, Outcome};

use super::deeds::{Deed, Planned, found_out};
use super::lost::LOSSES;
use super::stage::{SOON, Stage, on_each, read};
use super::words;
use crate::support::proxy::{Fault, Loss, Rule};
use crate::support::servers::Kind;
use crate::with_servers::child::{self, Child};
use crate::with_servers::site::Site;

/// How many cells are tried at once: most of their time is a wait.
const TOGETHER: usize = 40;

/// How much later than asked for everything comes from a place that is slow.
const SLOWNESS: Duration = Duration::from_millis(50);

/// A fault of the way, and whom it meets.
#[derive(Clone, Copy, Debug)]
enum Trouble {
    /// The first write that counts.
    Once(Fault),
    /// Every write from the one that counts on.
    Always(Fault),
    /// Every list of the session's objects.
    Lists(Fault),
    /// Every request.
    Slow,
}

/// What the caller is told, and what is true then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Done,
    /// An unknown outcome, of what did not happen so far.
    Unknown,
}

/// Every trouble with what comes of it.
fn troubles(kind: Kind) -> Vec<(Trouble, Told)> {
    // What the client makes of a loss on Azure is the same but for conflicts.
    let losses = if kind == Kind::S3 { &LOSSES[..] } else { &LOSSES[5..] };
    let mut troubles = Vec::new();
    for loss in losses.iter().copied().chain([Loss::Half]) {
        // Of an answer that never comes the place can be asked.
        troubles.push((Trouble::Once(Fault::Unanswered(loss)), Told::Done));
        troubles.push((Trouble::Always(Fault::Unanswered(loss)), Told::Done));
        troubles.push((Trouble::Once(Fault::Unseen(loss)), Told::Done));
        troubles.push((Trouble::Always(Fault::Unseen(loss)), Told::Unknown));
    }
    // It lands when the cell is over, or long after it was sent again.
    troubles.push((Trouble::Once(Fault::Held), Told::Done));
    troubles.push((Trouble::Always(Fault::Held), Told::Unknown));
    troubles.push((Trouble::Once(Fault::Delayed(SOON * 2)), Told::Done));
    troubles.push((Trouble::Slow, Told::Done));
    for cut in [Fault::Shortened(0), Fault::Shortened(1), Fault::Paged(1)] {
        troubles.push((Trouble::Lists(cut), Told::Done));
    }
    troubles
}

impl Trouble {
    fn begin(self, stage: &Stage, planned: &Planned) {
        let (part, before) = (&planned.part, planned.deed.writes_before());
        let rules = match self {
            Self::Once(fault) => vec![Rule::on("PUT", part, fault).after(before)],
            Self::Always(fault) => vec![Rule::on("PUT", part, fault).after(before).always()],
            Self::Lists(fault) => vec![Rule::on("GET", part, fault).always()],
            Self::Slow => ["GET", "PUT"]
                .map(|method| Rule::on(method, part, Fault::Delayed(SLOWNESS)).always())
                .into(),
        };
        for rule in rules {
            stage.proxy.rule(rule);
        }
    }
}

/// What a process finds: sessions with their commits, documents with their revisions and values.
type Found = BTreeMap<String, String>;

/// Does a deed once in trouble; answers what a process must find of it from then on.
async fn cell(stage: &Stage, deed: Deed, trouble: Trouble, told: Told) -> (Space, Found) {
    let stage = stage.another().await;
    let planned = deed.plan(&stage).await;
    trouble.begin(&stage, &planned);
    // It gives up early where nothing ever comes of it, and late where something does.
    let backend = if told == Told::Done { stage.through() } else { stage.hasty() };
    let answer = planned.carry_out(&backend).await;
    let outcome = answer.as_ref().err().map(Error::outcome);
    let expected = (told == Told::Unknown).then_some(Outcome::Unknown);
    assert_eq!(outcome, expected, "{answer:?}");
    assert_eq!(planned.is_done(&stage).await, told == Told::Done);
    if told == Told::Unknown {
        // Whatever lands by then: the same call completes it.
        stage.proxy.release().await;
        stage.proxy.mend();
        match found_out(&planned, &backend).await {
            Err(error) if deed == Deed::Delete => assert_eq!(error.kind(), ErrorKind::Missing),
            answer => answer.unwrap(),
        }
        assert!(planned.is_done(&stage).await);
    }
    let found = found_by(&stage.past(), &stage.space).await;
    // What is still on its way lands on what is taken.
    let landed = stage.proxy.release().await;
    assert!(!landed.iter().any(|status| matches!(status, 200 | 201)), "{landed:?}");
    (stage.space.clone(), found)
}

/// Everything in a space, as a handle finds it.
async fn found_by(backend: &dyn Backend, space: &Space) -> Found {
    let mut found = Found::new();
    for id in backend.journals(space, None, 100).await.unwrap() {
        let key = SessionKey { space: space.clone(), id };
        let commits = match read(backend, &key).await {
            // A document may be of a session that never was.
            Err(error) if error.kind() == ErrorKind::Missing => continue,
            commits => commits.unwrap(),
        };
        let tokens: Vec<_> = commits.iter().map(|commit| commit.token.to_string()).collect();
        let head = backend.head(&key).await.unwrap();
        let end = if head.deleted { "deleted" } else { "alive" };
        assert_eq!(head.tip.token.map(|token| token.to_string()).as_ref(), tokens.last());
        found.insert(format!("session {space}/{}", key.id), format!("{} {end}", tokens.join(" ")));
    }
    let collection = Collection { space: space.clone(), ..words::document(space).collection };
    for name in backend.documents(&collection, None, 100).await.unwrap() {
        let key = DocKey { collection: collection.clone(), name };
        let document = backend.get(&key).await.unwrap();
        let value = String::from_utf8_lossy(&document.bytes).into_owned();
        let told = format!("{:?} {value}", document.recent);
        found.insert(format!("document {space}/{}", key.name), told);
    }
    found
}

/// Tries every cell of a row.
async fn each_trouble(deed: Deed) {
    on_each(async |stage| {
        let stage = &stage;
        let cells = troubles(stage.kind).into_iter().map(|(trouble, told)| async move {
            let tried = AssertUnwindSafe(cell(stage, deed, trouble, told)).catch_unwind();
            tried.await.map_err(|_| format!("{:?} {deed:?} {trouble:?}", stage.kind))
        });
        let cells: Vec<_> = stream::iter(cells).buffer_unordered(TOGETHER).collect().await;
        // Each has said why.
        let failed: Vec<_> = cells.iter().filter_map(|cell| cell.as_ref().err()).collect();
        assert!(failed.is_empty(), "{failed:#?}");
        let (spaces, found): (Vec<_>, Vec<_>) = cells.into_iter().map(Result::unwrap).unzip();
        let expected: Found = found.into_iter().flatten().collect();
        assert_eq!(expected.is_empty(), deed == Deed::Delete);
        let spaces: Vec<_> = spaces.iter().map(ToString::to_string).collect();
        let test = "with_servers::faults::table::reads_as_a_child";
        let mut reader = Child::ready(&stage.site(), test, &spaces.join(" "));
        let found: Found = serde_json::from_str(&reader.told()).unwrap();
        reader.ended();
        assert_eq!(found, expected, "{:?} {deed:?}", stage.kind);
    })
    .await;
}

#[tokio::test]
async fn a_creation_is_told_as_it_is_found_whatever_goes_wrong() {
    each_trouble(Deed::Create).await;
}

#[tokio::test]
async fn an_append_is_told_as_it_is_found_whatever_goes_wrong() {
    each_trouble(Deed::Append).await;
}

#[tokio::test]
async fn an_append_at_the_end_is_told_as_it_is_found_whatever_goes_wrong() {
    each_trouble(Deed::AppendAtTheEnd).await;
}

#[tokio::test]
async fn a_deletion_is_told_as_it_is_found_whatever_goes_wrong() {
    each_trouble(Deed::Remove).await;
}

#[tokio::test]
async fn a_swap_of_a_document_is_told_as_it_is_found_whatever_goes_wrong() {
    each_trouble(Deed::Swap).await;
}

#[tokio::test]
async fn a_deletion_of_a_document_is_told_as_it_is_found_whatever_goes_wrong() {
    each_trouble(Deed::Delete).await;
}

#[tokio::test]
#[ignore = "the child of the tests above"]
async fn reads_as_a_child() {
    child::is_ready();
    let backend = Site::of_the_parent().backend();
    let mut found = Found::new();
    for space in child::name().split(' ') {
        found.extend(found_by(&backend, &space.parse().unwrap()).await);
    }
    child::tell(&serde_json::to_string(&found).unwrap());
}
