//! Appending at a tip.

use std::sync::Arc;

use sessile_core::backend::{Expected, Precondition, Span};
use sessile_core::{Error, ErrorKind, Position, Tip};

use crate::case::Case;
use crate::failed::{Failed, conflicts_at, ensure, fails, only, same};
use crate::fixture::Place;
use crate::look;
use crate::mint;
use crate::sample;
use crate::writer::Writer;

pub(super) const CASES: &[Case] = &[
    Case::new(
        "append/a_conflict_names_the_actual_position",
        &["AppendIsConditional", "records/14", "OBJ-9"],
        |place| Box::pin(a_conflict_names_the_actual_position(place)),
    ),
    Case::new("append/beyond_the_end_is_a_conflict", &["AppendIsConditional"], |place| {
        Box::pin(beyond_the_end_is_a_conflict(place))
    }),
    Case::new(
        "append/the_token_counts_as_much_as_the_position",
        &["AppendIsConditional", "OBJ-5"],
        |place| Box::pin(the_token_counts(place)),
    ),
    Case::new("append/a_batch_is_refused_as_a_whole", &["AppendIsConditional"], |place| {
        Box::pin(a_batch_is_refused_as_a_whole(place))
    }),
    Case::new(
        "append/a_stale_writer_never_slips_in",
        &["AppendIsConditional", "OBJ-8", "CONC-2"],
        |place| Box::pin(a_stale_writer_never_slips_in(place)),
    ),
    Case::new(
        "append/whoever_reads_again_goes_on",
        &["AppendIsConditional", "records/25"],
        |place| Box::pin(whoever_reads_again_goes_on(place)),
    ),
    Case::new(
        "append/the_returned_tip_is_the_next_one_expected",
        &["AppendIsConditional", "LOST-2"],
        |place| Box::pin(the_returned_tip_is_the_next_one_expected(place)),
    ),
    Case::new("append/an_empty_list_is_refused", &["AppendIsConditional", "records/15"], |place| {
        Box::pin(an_empty_list_is_refused(place))
    }),
    Case::new(
        "append/errors_tell_nothing_of_what_is_stored",
        &["AppendIsConditional", "DocumentsSwap", "records/72", "SEC-3"],
        |place| Box::pin(errors_tell_nothing_of_what_is_stored(place)),
    ),
];

async fn a_conflict_names_the_actual_position(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::saying(&backend, "s1", &["one"]).await?;
    let stale = writer.tip;
    for text in ["two", "three"] {
        writer.say(text).await?;
        let before = look::seen(&*backend, &writer.key).await?;
        let answer =
            backend.append(&writer.key, Expected::At(stale), vec![sample::saying("x")?]).await;
        conflicts_at("an append at a stale tip", answer, writer.tip.position)?;
        look::unchanged(&*backend, &writer.key, &before).await?;
    }
    Ok(())
}

async fn beyond_the_end_is_a_conflict(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let writer = Writer::saying(&backend, "s1", &["one"]).await?;
    let before = look::seen(&*backend, &writer.key).await?;
    for beyond in [1, 2, 1_000] {
        let number = writer.tip.position.number() + beyond;
        let position = Position::new(number).unwrap_or(Position::START);
        for token in [writer.tip.token, Some(mint::token()), None] {
            let expected = Expected::At(Tip { position, token });
            let commits = vec![sample::saying("x")?];
            let answer = backend.append(&writer.key, expected, commits).await;
            conflicts_at("an append beyond the end", answer, writer.tip.position)?;
        }
    }
    look::unchanged(&*backend, &writer.key, &before).await
}

async fn the_token_counts(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::create(&backend, &sample::key("s1")?).await?;
    let older = writer.tip.token;
    writer.say("one").await?;
    let before = look::seen(&*backend, &writer.key).await?;
    for (what, token) in [
        ("a token that nobody minted", Some(mint::token())),
        ("the token of an older commit", older),
        ("no token", None),
    ] {
        let tip = Tip { token, ..writer.tip };
        let commits = vec![sample::saying("x")?];
        let answer = backend.append(&writer.key, Expected::At(tip), commits).await;
        conflicts_at(what, answer, writer.tip.position)?;
    }
    look::unchanged(&*backend, &writer.key, &before).await
}

async fn a_batch_is_refused_as_a_whole(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::saying(&backend, "s1", &["one"]).await?;
    let stale = writer.tip;
    writer.say("two").await?;
    let before = look::seen(&*backend, &writer.key).await?;
    let batch = vec![sample::saying("a")?, sample::saying("b")?, sample::saying("c")?];
    let answer = backend.append(&writer.key, Expected::At(stale), batch.clone()).await;
    conflicts_at("a batch at a stale tip", answer, writer.tip.position)?;
    look::unchanged(&*backend, &writer.key, &before).await?;
    let answers = backend.append(&writer.key, Expected::At(writer.tip), batch.clone()).await?;
    same("how many answers", answers.len(), batch.len())?;
    let stored = look::read(&*backend, &writer.key, Span::ALL).await?;
    for (commit, answer) in batch.iter().zip(&answers) {
        ensure!(!answer.replayed, "a refused batch left nothing to replay");
        look::stands(&stored, commit, answer)?;
    }
    Ok(())
}

async fn a_stale_writer_never_slips_in(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut stale = Writer::saying(&backend, "s1", &["one", "two", "three", "four"]).await?;
    let mut newer = stale.on(&place.handle().await?);
    for text in ["five", "six", "seven"] {
        newer.say(text).await?;
        let answer = stale
            .backend
            .append(&stale.key, Expected::At(stale.tip), vec![sample::saying("x")?])
            .await;
        conflicts_at("the stale writer", answer, newer.tip.position)?;
        let answer = stale.backend.remove(&stale.key, stale.tip, sample::tombstone()?).await;
        conflicts_at("the stale remover", answer, newer.tip.position)?;
    }
    let texts = ["one", "two", "three", "four", "five", "six", "seven"];
    same(
        "the texts",
        look::texts(&*backend, &stale.key).await?,
        texts.map(str::to_owned).to_vec(),
    )?;
    stale.tip = newer.tip;
    stale.say("eight").await?;
    Ok(())
}

async fn whoever_reads_again_goes_on(place: Arc<dyn Place>) -> Result<(), Failed> {
    let first = place.handle().await?;
    let mut one = Writer::create(&first, &sample::key("s1")?).await?;
    let mut other = one.on(&place.handle().await?);
    for round in 0..5 {
        one.say(&format!("one {round}")).await?;
        let answer = other
            .backend
            .append(&other.key, Expected::At(other.tip), vec![sample::saying("x")?])
            .await;
        conflicts_at("the second of two writers", answer, one.tip.position)?;
        other.tip = other.backend.head(&other.key).await?.tip;
        other.say(&format!("other {round}")).await?;
        one.tip = one.backend.head(&one.key).await?.tip;
    }
    let texts = look::texts(&*first, &one.key).await?;
    let expected: Vec<String> =
        (0..5).flat_map(|round| [format!("one {round}"), format!("other {round}")]).collect();
    same("the texts", texts, expected)
}

async fn the_returned_tip_is_the_next_one_expected(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::create(&backend, &sample::key("s1")?).await?;
    for number in 0..500 {
        writer.say(&number.to_string()).await?;
    }
    let texts = look::texts(&*backend, &writer.key).await?;
    let expected: Vec<String> = (0..500).map(|number| number.to_string()).collect();
    same("the texts", texts, expected)
}

async fn an_empty_list_is_refused(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let writer = Writer::create(&backend, &sample::key("s1")?).await?;
    let before = look::seen(&*backend, &writer.key).await?;
    for expected in [Expected::At(writer.tip), Expected::At(Tip::ABSENT), Expected::End] {
        let answer = backend.append(&writer.key, expected, Vec::new()).await;
        fails("an append of nothing", answer, ErrorKind::Refused)?;
    }
    look::unchanged(&*backend, &writer.key, &before).await?;
    let commits = vec![sample::saying("one")?];
    let appended = backend.append(&writer.key, Expected::End, commits).await?;
    only("the answer to one commit", appended)?;
    Ok(())
}

/// Fails unless a refusal keeps what was stored or sent to itself, in each of its forms.
fn keeps_it_to_itself<T>(answer: Result<T, Error>) -> Result<(), Failed> {
    // Whether it should have been refused is for other cases to say.
    let Err(error) = answer else { return Ok(()) };
    let texts = [error.to_string(), format!("{error:?}"), format!("{:?}", error.hint())];
    let told = texts.into_iter().chain([Failed::from(error).to_string()]);
    let echoes = told.filter(|text| text.contains("secret")).count();
    same("how many forms of an error hold a payload", echoes, 0)
}

async fn errors_tell_nothing_of_what_is_stored(place: Arc<dyn Place>) -> Result<(), Failed> {
    let backend = place.handle().await?;
    let mut writer = Writer::saying(&backend, "s1", &["secret"]).await?;
    let key = writer.key.clone();
    let append = |tip, commit| backend.append(&key, Expected::At(tip), vec![commit]);
    let elsewhere = Tip { token: Some(mint::token()), ..writer.tip };
    keeps_it_to_itself(append(elsewhere, sample::saying("secret")?).await)?;
    let mut taken = sample::message("secret")?;
    taken.seq = Some(look::seq(1)?);
    keeps_it_to_itself(append(writer.tip, sample::commit(vec![taken])?).await)?;
    let missing = sample::key("s2")?;
    let headless = vec![sample::entry("session", r#"{"secret":"secret"}"#)?];
    let creation = vec![sample::commit(headless)?];
    let absent = Expected::At(Tip::ABSENT);
    keeps_it_to_itself(backend.append(&missing, absent, creation).await)?;
    keeps_it_to_itself(backend.remove(&key, writer.tip, sample::saying("secret")?).await)?;
    let document = sample::document("c", "n")?;
    let value = || sample::value("secret");
    backend.put(&document, value(), Precondition::Absent).await?;
    keeps_it_to_itself(backend.put(&document, value(), Precondition::Absent).await)?;
    keeps_it_to_itself(backend.delete(&document, mint::revision()).await)?;
    writer.tip = backend.head(&key).await?.tip;
    writer.remove().await?;
    keeps_it_to_itself(append(writer.tip, sample::saying("secret")?).await)?;
    let debug = format!("{backend:?} {:?}", backend.head(&key).await?);
    ensure!(!debug.contains("secret"), "the `Debug` of a handle or a head holds a payload");
    Ok(())
}
