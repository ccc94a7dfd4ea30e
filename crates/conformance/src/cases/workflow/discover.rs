//! Finding sessions again.

use std::sync::Arc;

use sessile_core::Name;
use sessile_engine::NewSession;
use sessile_workflow::{Begin, Discover, Options, Problem, Workflow};

use super::scene::{PROJECT, STRANGER, begun, behind, new, refused, workflow, workflow_with};
use crate::case::Case;
use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;
use crate::hands::Hands;

pub(super) const CASES: &[Case] = &[
    Case::new("workflow/discover/only_ones_own_is_counted", &["workflow/36"], |place| {
        Box::pin(only_ones_own(place))
    }),
    Case::new("workflow/discover/pages_of_one_time_hold_each_once", &["workflow/37"], |place| {
        Box::pin(pages_of_one_time(place))
    }),
    Case::new("workflow/discover/a_title_is_shown_without_secrets", &["workflow/38"], |place| {
        Box::pin(a_title(place))
    }),
    Case::new("workflow/discover/a_place_out_of_reach_is_not_empty", &["workflow/34"], |place| {
        Box::pin(out_of_reach(place))
    }),
];

fn project() -> Result<Name, Failed> {
    Ok(PROJECT.parse()?)
}

/// The ids on all pages, in order.
async fn all(workflow: &Workflow, limit: usize) -> Result<Vec<String>, Failed> {
    let mut ids = Vec::new();
    let mut offset = Some(0);
    while let Some(at) = offset {
        let page = workflow.discover(Discover::project(project()?).offset(at).limit(limit)).await?;
        same("where the page begins", page.offset, at)?;
        ensure!(page.sessions.len() <= limit.clamp(1, 20), "the page is too long");
        ids.extend(page.sessions.iter().map(|it| it.id.to_string()));
        offset = page.next;
        ensure!(offset.is_none_or(|next| next > at), "pages go in circles");
    }
    Ok(ids)
}

async fn only_ones_own(place: Arc<dyn Place>) -> Result<(), Failed> {
    const OWN: usize = 22;
    let owner = workflow(&*place).await?;
    let stranger = owner.as_owner(STRANGER);
    for number in 0..OWN {
        let id = begun(&owner, new().title(number.to_string())).await?;
        match number {
            0 => drop(owner.close(&id).await?),
            1 => owner.store().delete(&*id).await?,
            _ => {}
        }
        begun(&stranger, new().title("another's")).await?;
    }
    begun(&owner, Begin::new().project("another")).await?;
    begun(&owner, Begin::new()).await?;
    owner.store().create(NewSession::new().project(PROJECT)).await?;
    let look = async |workflow: &Workflow, discover: Discover| -> Result<(usize, usize), Failed> {
        let page = workflow.discover(discover).await?;
        let shown = page.sessions.len();
        let others = page.sessions.iter().filter(|it| it.title.as_deref() == Some("another's"));
        same("how many are others'", others.count(), 0)?;
        Ok((page.total, shown))
    };
    let reopened = workflow(&*place).await?;
    let any = || -> Result<Discover, Failed> { Ok(Discover::project(project()?)) };
    for (discover, expected) in [
        (any()?, (21, 20)),
        (any()?.limit(0), (21, 1)),
        (any()?.limit(1), (21, 1)),
        (any()?.limit(7), (21, 7)),
        (any()?.limit(500), (21, 20)),
        (any()?.active(), (20, 20)),
        (any()?.closed(), (1, 1)),
        (any()?.offset(20), (21, 1)),
        (any()?.offset(21), (21, 0)),
        (any()?.offset(usize::MAX), (21, 0)),
    ] {
        same(&format!("{discover:?}"), look(&reopened, discover).await?, expected)?;
    }
    let anybody = Workflow::on(owner.store().clone(), owner.options().clone())?;
    refused("without an authority", anybody.discover(any()?).await, &Problem::NoAuthority)?;
    Ok(())
}

async fn pages_of_one_time(place: Arc<dyn Place>) -> Result<(), Failed> {
    let (hands, engine) = Hands::with_options();
    hands.set(1_790_000_000_000);
    let owner = workflow_with(&*place, engine, Options::default()).await?;
    let mut ids = Vec::new();
    for _ in 0..9 {
        ids.push(begun(&owner, new()).await?);
    }
    hands.set(1_790_000_000_001);
    let newest = begun(&owner, new()).await?;
    hands.set(1_780_000_000_000);
    let oldest = begun(&owner, new()).await?;
    ids.sort_unstable_by(|one, other| other.cmp(one));
    let expected = [vec![newest], ids, vec![oldest]].concat();
    let reopened = workflow(&*place).await?;
    for limit in [1, 2, 4, 9, 20] {
        same(&format!("pages of {limit}"), all(&reopened, limit).await?, expected.clone())?;
    }
    Ok(())
}

async fn a_title(place: Arc<dyn Place>) -> Result<(), Failed> {
    let owner = workflow(&*place).await?;
    let long: String = "ä".repeat(241);
    let at_most: String = "ä".repeat(240);
    for (title, shown, truncated) in [
        ("say Bearer abcdef", "[redacted]", true),
        ("the client_secret", "[redacted]", true),
        (&*long, &*at_most, true),
        (&*at_most, &*at_most, false),
        ("plain", "plain", false),
    ] {
        let id = begun(&owner, new().title(title)).await?;
        let page = workflow(&*place).await?.discover(Discover::project(project()?)).await?;
        let found = page.sessions.iter().find(|it| it.id.as_str() == id);
        let found = found.ok_or_else(|| Failed::new("it is not found"))?;
        same("the title", found.title.as_deref(), Some(shown))?;
        same("whether another is stored", found.title_truncated, truncated)?;
        let told = super::scene::summary(&*place, &id).await?;
        same("the title", told.title.as_deref(), Some(shown))?;
        same("whether another is stored", told.title_truncated, truncated)?;
    }
    let untitled = begun(&owner, new()).await?;
    let told = super::scene::summary(&*place, &untitled).await?;
    same("no title", (told.title, told.title_truncated), (None, false))
}

async fn out_of_reach(place: Arc<dyn Place>) -> Result<(), Failed> {
    let id = begun(&workflow(&*place).await?, new()).await?;
    let (line, behind) = behind(&*place).await?;
    line.cut(true);
    ensure!(behind.discover(Discover::project(project()?)).await.is_err(), "it is empty");
    ensure!(behind.summary(&id, None).await.is_err(), "it is told");
    ensure!(behind.begin(super::scene::resume(&id)).await.is_err(), "it is continued");
    ensure!(behind.begin(new()).await.is_err(), "another was begun");
    line.mend();
    same("what is there", all(&behind, 9).await?, vec![id])
}
