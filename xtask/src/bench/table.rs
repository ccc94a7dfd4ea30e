//! The tables that are shown and put into the page.

use std::fmt::Write as _;

use super::figures::{Costs, Figures, Series};
use super::must::Verdict;
use super::workload::Workload;

/// What the run stood on.
pub(super) fn machine(figures: &Figures) -> String {
    let mut text = String::new();
    for (name, value) in &figures.facts {
        // Writing to a `String` cannot fail.
        _ = writeln!(text, "- {name}: {value}");
    }
    text.push('\n');
    text
}

/// Every must that was judged, a row each.
pub(super) fn musts(verdicts: &[Verdict]) -> String {
    let mut text = "| workload | what must hold | must | aim | measured | range | |\n\
                    | --- | --- | ---: | ---: | ---: | ---: | --- |\n"
        .to_owned();
    for verdict in verdicts {
        let must = verdict.must;
        let aim = must.aim.map_or_else(String::new, |aim| format!("{aim:.2}"));
        let measured = verdict.measured.map_or_else(String::new, |it| format!("{:.2}", it.median));
        let range = verdict
            .measured
            .map_or_else(String::new, |it| format!("{:.2} to {:.2}", it.lowest, it.highest));
        let holds = if verdict.holds { "holds" } else { "**missed**" };
        let (workload, what, bound) = (verdict.workload, must.text, must.bound.show());
        _ = writeln!(
            text,
            "| {workload} | {what} | {bound} | {aim} | {measured} | {range} | {holds} |"
        );
    }
    text.push('\n');
    text
}

/// A table for each workload that ran.
pub(super) fn all(workloads: &[Workload], figures: &Figures) -> String {
    let ran = workloads.iter().filter(|workload| figures.of(workload.name).next().is_some());
    ran.map(|workload| of(workload, figures.of(workload.name).collect())).collect()
}

fn of(workload: &Workload, mut series: Vec<&Series>) -> String {
    let floor =
        workload.floor.and_then(|name| series.iter().copied().find(|it| it.contender == name));
    let counted = series.iter().any(|it| it.costs.is_some());
    let rounds = series.iter().map(|it| it.rounds()).max().unwrap_or(0);
    let rounds = if rounds > 1 { format!(" {rounds} rounds.") } else { String::new() };
    let mut text = format!("### {}\n\n{}{rounds}\n\n", workload.title, workload.about);
    let (mut head, mut line) = ("| contender | median |".to_owned(), "| --- | ---: |".to_owned());
    if floor.is_some() {
        head.push_str(" x | range |");
        line.push_str(" ---: | ---: |");
    }
    if counted {
        head.push_str(" flushes | calls | KiB written | KiB read | peak MiB |");
        line.push_str(" ---: | ---: | ---: | ---: | ---: |");
    }
    _ = writeln!(text, "{head}\n{line}");
    if floor.is_some() {
        series.sort_by(|a, b| place(a).total_cmp(&place(b)));
    }
    for series in series {
        let median = series.spread().map(|it| workload.unit.show(it.median));
        _ = write!(text, "| {} | {} |", series.contender, median.unwrap_or_default());
        if let Some(floor) = floor {
            let ratio = series
                .ratio(floor)
                .map(|it| format!(" {:.2} | {:.2} to {:.2} |", it.median, it.lowest, it.highest));
            text.push_str(ratio.as_deref().unwrap_or(" | |"));
        }
        if counted {
            text.push_str(&costs(series.costs.unwrap_or_default()));
        }
        text.push('\n');
    }
    text.push('\n');
    text
}

/// Where a row stands: the least figure first.
fn place(series: &Series) -> f64 {
    series.spread().map_or(f64::INFINITY, |it| it.median)
}

fn costs(costs: Costs) -> String {
    let kib = |bytes: Option<f64>| bytes.map(|bytes| bytes / 1024.0);
    let cells = [
        (costs.flushes, 2),
        (costs.syscalls, 1),
        (kib(costs.bytes_written), 1),
        (kib(costs.bytes_read), 1),
        (costs.peak_mib, 1),
    ];
    // Two runs never take quite the same memory or calls; what is left of nothing is nothing.
    let cell = |(value, decimals): (Option<f64>, usize)| {
        value.map_or_else(|| " |".to_owned(), |it| format!(" {:.decimals$} |", it.max(0.0)))
    };
    cells.map(cell).concat()
}

#[cfg(test)]
mod tests {
    use super::super::must;
    use super::super::workload::{Bound, Must, Unit};
    use super::*;

    const WORKLOAD: Workload = Workload {
        name: "w",
        title: "W: a test",
        about: "What is compared.",
        unit: Unit::Micros,
        floor: Some("floor"),
        musts: &[Must {
            text: "own, to the floor",
            of: "own",
            to: Some("floor"),
            bound: Bound::AtMost(0.85),
            aim: Some(0.7),
        }],
    };

    fn figures() -> Figures {
        let mut figures = Figures::default();
        for line in [
            r#"{"kind":"machine","facts":[["cores","2"]]}"#,
            r#"{"kind":"value","workload":"w","contender":"floor","round":0,"value":100.0}"#,
            r#"{"kind":"value","workload":"w","contender":"own","round":0,"value":90.0}"#,
            r#"{"kind":"costs","workload":"w","contender":"own","costs":{"flushes":1.0,"syscalls":2.0,"bytes_written":2048.0,"bytes_read":-3.0,"peak_mib":null}}"#,
        ] {
            figures.take(line).unwrap();
        }
        figures
    }

    #[test]
    fn a_workload_is_a_table_with_the_fastest_first() {
        let expected = "### W: a test\n\nWhat is compared.\n\n\
            | contender | median | x | range | flushes | calls | KiB written | KiB read | peak MiB |\n\
            | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n\
            | own | 90.0 us | 0.90 | 0.90 to 0.90 | 1.00 | 2.0 | 2.0 | 0.0 | |\n\
            | floor | 100.0 us | 1.00 | 1.00 to 1.00 | | | | | |\n\n";
        assert_eq!(all(&[WORKLOAD], &figures()), expected);
        assert_eq!(all(&[WORKLOAD], &Figures::default()), "");
    }

    #[test]
    fn a_must_that_is_missed_says_so() {
        let shown = musts(&must::judged(&[WORKLOAD], &figures()));
        let row = "| w | own, to the floor | <= 0.85 | 0.70 | 0.90 | 0.90 to 0.90 | **missed** |\n";
        assert!(shown.contains(row), "{shown}");
    }

    #[test]
    fn the_machine_is_told_by_its_facts() {
        assert_eq!(machine(&figures()), "- cores: 2\n\n");
    }
}
