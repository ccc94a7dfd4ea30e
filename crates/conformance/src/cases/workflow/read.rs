//! What asking costs: nothing is written, and nothing grows hot.

use std::sync::Arc;

use sessile_workflow::{Discover, Event, Problem};

use super::scene::{PROJECT, begun, new, record, refused, workflow};
use crate::case::{Case, Need};
use crate::failed::{Failed, ensure, same};
use crate::fixture::Place;

pub(super) const CASES: &[Case] = &[
    Case::new("workflow/read/writes_nothing_and_leaves_all_cold", &["workflow/35"], |place| {
        Box::pin(writes_nothing(place))
    })
    .needing(&[Need::Footprint]),
    Case::new("workflow/read/no_debugging_form_shows_content", &["records/72"], |place| {
        Box::pin(shows_no_content(place))
    }),
];

async fn writes_nothing(place: Arc<dyn Place>) -> Result<(), Failed> {
    let writer = workflow(&*place).await?;
    let context = serde_json::json!({"at": "src"});
    let id = begun(&writer, new().context(&context).instruction("go")).await?;
    record(&writer, &id, "x", 3).await?;
    let told = async || {
        let print = place.footprint().await?;
        print.ok_or_else(|| Failed::new("the place tells no footprint any more"))
    };
    let before = told().await?;
    let reader = workflow(&*place).await?;
    let project = PROJECT.parse()?;
    reader.summary(&id, None).await?;
    reader.discover(Discover::project(PROJECT.parse()?)).await?;
    reader.instruction_at(&id, 2).await?;
    reader.evidence(&id, "x", |_| [1]).await?;
    reader.context(&id, &project).await?;
    reader.denial(&id, ["write"]).await?;
    reader.ephemeral(&id).await?;
    refused("a stranger's look", reader.as_owner("x").summary(&id, None).await, &Problem::Unknown)?;
    same("how many are hot", reader.store().status().hot_sessions, 0)?;
    let changes = before.changes(&told().await?);
    ensure!(changes.is_empty(), "something was touched: {changes}");
    Ok(())
}

async fn shows_no_content(place: Arc<dyn Place>) -> Result<(), Failed> {
    const MARK: &str = "mark-0d4e";
    let workflow = workflow(&*place).await?;
    let wanted = new()
        .title(MARK)
        .context(&serde_json::json!({"at": MARK}))
        .instruction(MARK)
        .by(MARK)
        .baseline(MARK)
        .ephemeral(MARK);
    let mut forms = vec![format!("{wanted:?}")];
    let begun = workflow.begin(wanted).await?;
    let id = begun.summary.id.to_string();
    let event = Event::new("x").body(MARK)?.once(MARK);
    forms.push(format!("{event:?}"));
    forms.push(format!("{:?}", workflow.record(&id, event).await?));
    let set = workflow.set_context(&id, &serde_json::json!({"of": MARK})).await?;
    let discovered = workflow.discover(Discover::project(PROJECT.parse()?)).await?;
    forms.push(format!("{begun:?} {set:?} {discovered:?}"));
    forms.push(format!("{:?}", workflow.instruction_at(&id, 1).await?));
    forms.push(format!("{:?}", workflow.summary(&id, None).await?.events));
    forms.push(format!("{workflow:?}"));
    for form in forms {
        ensure!(!form.contains(MARK), "content is shown: {form}");
    }
    Ok(())
}
