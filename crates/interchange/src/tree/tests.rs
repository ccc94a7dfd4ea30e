use std::borrow::Cow;

use proptest::prelude::*;

use super::*;

/// A record from `id` or `id<parent`: with `.` before it, it says nothing; with `@agent` or `@`
/// behind it, it is a sub-agent's with a name or without; `-` is no id.
fn node(text: &str) -> Node<'_> {
    let (text, lane) = match text.split_once('@') {
        None => (text, Lane::Main),
        Some((text, "")) => (text, Lane::Nameless),
        Some((text, agent)) => (text, Lane::Agent(Cow::Borrowed(agent))),
    };
    let (text, speaks) = text.strip_prefix('.').map_or((text, true), |text| (text, false));
    let (id, parent) = text.split_once('<').map_or((text, None), |(id, up)| (id, Some(up)));
    Node {
        id: (id != "-").then_some(Cow::Borrowed(id)),
        parent: parent.map(Cow::Borrowed),
        may_dangle: false,
        speaks,
        lane,
    }
}

/// The conversations of records parted by blanks, each with its own records.
fn grown(records: &str) -> (Vec<String>, Vec<(usize, FaultKind)>) {
    let texts: Vec<&str> = records.split(' ').collect();
    let nodes: Vec<Node<'_>> = texts.iter().map(|text| node(text)).collect();
    let (found, faults) = grow(&nodes.iter().collect::<Vec<_>>());
    let own = |conversation: usize| -> String {
        let own = nodes.iter().zip(&found.owners).filter(|(_, owner)| **owner == conversation);
        own.map(|(node, _)| node.id.as_deref().unwrap_or("-")).collect::<Vec<_>>().join(" ")
    };
    let told = found.list.iter().enumerate().map(|(index, conversation)| {
        let own = own(index);
        match conversation.origin {
            Origin::Main => own,
            Origin::Fork { of, after } => {
                format!("{of} after {}: {own}", nodes[after].id.as_deref().unwrap())
            }
            Origin::Agent => format!("agent: {own}"),
        }
    });
    (told.collect(), faults.iter().map(|fault| (fault.index, fault.kind)).collect())
}

fn conversations(records: &str) -> Vec<String> {
    let (told, faults) = grown(records);
    assert_eq!(faults, [], "{records}");
    told
}

#[test]
fn a_chain_is_one_conversation() {
    assert_eq!(conversations("a b<a c<b"), ["a b c"]);
    assert_eq!(conversations("-"), ["-"]);
}

#[test]
fn the_chain_of_the_last_word_is_the_main_one() {
    assert_eq!(conversations("a b<a c<b d<a e<d"), ["a d e", "0 after a: b c"]);
    assert_eq!(conversations("a b<a c<b d<a e<d f<c"), ["a b c f", "0 after a: d e"]);
}

#[test]
fn a_fork_may_be_forked() {
    let expected = ["a f", "0 after a: b d e", "1 after b: c"];
    assert_eq!(conversations("a b<a c<b d<b e<d f<a"), expected);
}

#[test]
fn what_hangs_off_without_a_word_stays_where_it_hangs() {
    assert_eq!(conversations("a .p<a b<a .q<p .r<b"), ["a p b q r"]);
    assert_eq!(conversations("a b<a .p<b c<a .q<b"), ["a c", "0 after a: b p q"]);
    assert_eq!(conversations(".a .b<a .c<a"), ["a b c"]);
}

#[test]
fn a_record_without_a_parent_continues_the_one_before_it() {
    assert_eq!(conversations("a b c"), ["a b c"]);
    assert_eq!(conversations("a b<a c d<c e<b"), ["a b e", "0 after b: c d"]);
    assert_eq!(conversations("a b<a c<a d e<d"), ["a c d e", "0 after a: b"]);
}

#[test]
fn what_has_neither_id_nor_parent_floats_in_the_main_conversation() {
    assert_eq!(conversations("- a - b<a .- c<b -"), ["- a - b - c -"]);
    assert_eq!(conversations("a b<a - c<a"), ["a - c", "0 after a: b"]);
}

#[test]
fn a_broken_link_is_told_and_continues_the_record_before_it() {
    let (told, faults) = grown("a b<a c<gone d<c");
    assert_eq!((told, faults), (vec!["a b c d".to_owned()], vec![(2, FaultKind::UnknownParent)]));
    let (told, faults) = grown("a b<a c<c d<c");
    assert_eq!((told, faults), (vec!["a b c d".to_owned()], vec![(2, FaultKind::OwnParent)]));
    let (told, faults) = grown("a b<a c<d d<c e<d");
    assert_eq!((told, faults), (vec!["a b c d e".to_owned()], vec![(2, FaultKind::Circle)]));
}

#[test]
fn a_circle_that_holds_the_first_record_is_cut_there() {
    let (told, faults) = grown("a<c b<a c<b d<c");
    assert_eq!((told, faults), (vec!["a b c d".to_owned()], vec![(0, FaultKind::Circle)]));
}

#[test]
fn a_record_may_stand_before_its_parent() {
    assert_eq!(conversations("a .h<b b<a c<h"), ["a h b c"]);
    assert_eq!(conversations("b<a a c<b"), ["b a c"]);
    // The root of this tree stands after what follows it, and so does the next one's.
    let (told, faults) = grown("x b<a a<gone d<c c<gone e<d");
    assert_eq!(told, ["x a d c e", "0 after a: b"]);
    assert_eq!(faults, [(2, FaultKind::UnknownParent), (4, FaultKind::UnknownParent)]);
}

#[test]
fn a_fork_holds_what_its_records_follow_wherever_it_stands() {
    let (told, _) = grown("r .h<b b<r c<h d<h");
    assert_eq!(told, ["r h b d", "0 after b: c"]);
}

#[test]
fn of_a_repeated_id_the_nearest_one_before_is_meant() {
    let (told, faults) = grown("a b<a a b c<b");
    assert_eq!(told, ["a b a b c"]);
    assert_eq!(faults, [(2, FaultKind::RepeatedId), (3, FaultKind::RepeatedId)]);
}

#[test]
fn sub_agents_have_conversations_of_their_own() {
    assert_eq!(
        conversations("a s<a@x t<s@x b<a u@y v<t@x c<b"),
        ["a b c", "agent: s t v", "agent: u"]
    );
    // Without a name each root begins one.
    assert_eq!(conversations("a s@ t@ u<s@ v<t@ b<a"), ["a b", "agent: s u", "agent: t v"]);
    assert_eq!(conversations("a s<a@ t<s@ u<s@ b<a"), ["a b", "agent: s u", "1 after s: t"]);
}

#[test]
fn a_link_into_a_sub_agents_conversation_does_not_hold() {
    let (told, faults) = grown("a s@x b<s c<b");
    assert_eq!(told, ["a b c", "agent: s"]);
    assert_eq!(faults, [(2, FaultKind::ForeignParent)]);
    let (told, faults) = grown("a s@ t<gone@ b<a");
    assert_eq!(told, ["a b", "agent: s t"]);
    assert_eq!(faults, [(2, FaultKind::UnknownParent)]);
}

#[test]
fn long_chains_wide_forks_and_deep_forks_take_time_in_proportion() {
    const RECORDS: usize = 200_000;
    let ids: Vec<String> = (0..RECORDS).map(|index| index.to_string()).collect();
    let with_parents = |parent: &dyn Fn(usize) -> usize| {
        let nodes: Vec<Node<'_>> = (0..RECORDS)
            .map(|index| Node {
                id: Some(Cow::Borrowed(&*ids[index])),
                parent: Some(Cow::Borrowed(&*ids[parent(index)])),
                speaks: true,
                ..Node::default()
            })
            .collect();
        let (found, faults) = grow(&nodes.iter().collect::<Vec<_>>());
        (found.list.len(), faults.len())
    };
    let before = |index: usize| index.saturating_sub(1);
    assert_eq!(with_parents(&before), (1, 1));
    assert_eq!(with_parents(&|index| before(index).min(RECORDS / 2)), (RECORDS / 2 - 1, 1));
    // All links lead ahead, and the last to the first.
    assert_eq!(with_parents(&|index| (index + 1) % RECORDS), (1, 1));
    // Each record but the first follows the one before the one before it.
    assert_eq!(with_parents(&|index| index.saturating_sub(2)), (2, 1));
}

proptest! {
    #[test]
    fn whatever_the_links_say_every_record_has_one_owner(
        records in proptest::collection::vec(
            (0_u8..12, 0_u8..16, any::<bool>(), 0_u8..5), 0..40
        )
    ) {
        let names: Vec<String> = (0..16).map(|name| name.to_string()).collect();
        let named = |number: u8| names.get(usize::from(number)).map(|name| Cow::Borrowed(&**name));
        let nodes: Vec<Node<'_>> = records
            .iter()
            .map(|(id, parent, speaks, lane)| Node {
                id: named(*id).filter(|_| *id < 10),
                parent: named(*parent).filter(|_| *parent < 14),
                may_dangle: *lane == 4,
                speaks: *speaks,
                lane: match lane {
                    0 => Lane::Agent("x".into()),
                    1 => Lane::Nameless,
                    _ => Lane::Main,
                },
            })
            .collect();
        let (found, _) = grow(&nodes.iter().collect::<Vec<_>>());
        prop_assert_eq!(found.owners.len(), nodes.len());
        prop_assert_eq!(found.list[0].origin, Origin::Main);
        for (index, conversation) in found.list.iter().enumerate().skip(1) {
            let first = conversation.first.unwrap();
            prop_assert_eq!(found.owners[first], index);
            if let Origin::Fork { of, after } = conversation.origin {
                prop_assert!(of < index);
                prop_assert_eq!(found.owners[after], of);
            }
        }
        for (node, owner) in nodes.iter().zip(&found.owners) {
            prop_assert!(*owner < found.list.len());
            let first = found.list[*owner].first.map_or(Lane::Main, |it| nodes[it].lane.clone());
            prop_assert_eq!(&node.lane, &first);
        }
    }
}
