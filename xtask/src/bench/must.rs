//! Which musts hold in a run.

use super::figures::{Figures, Spread};
use super::workload::{Must, Workload};

/// What came of a must.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    pub(super) workload: &'static str,
    pub(super) must: Must,
    /// None where the run lacks a figure that it needs; then it does not hold.
    pub(super) measured: Option<Spread>,
    pub(super) holds: bool,
}

/// Judges the musts of all workloads that ran.
pub(super) fn judged(workloads: &[Workload], figures: &Figures) -> Vec<Verdict> {
    let ran = workloads.iter().filter(|workload| figures.of(workload.name).next().is_some());
    let musts = ran.flat_map(|it| it.musts.iter().map(|must| (it.name, *must)));
    musts.map(|(workload, must)| judge(workload, must, figures)).collect()
}

fn judge(workload: &'static str, must: Must, figures: &Figures) -> Verdict {
    let of = figures.get(workload, must.of);
    let measured = match must.to {
        None => of.and_then(super::figures::Series::spread),
        Some(to) => of.and_then(|of| of.ratio(figures.get(workload, to)?)),
    };
    let holds = measured.is_some_and(|measured| must.bound.holds(measured.median));
    Verdict { workload, must, measured, holds }
}

#[cfg(test)]
mod tests {
    use super::super::workload::{Bound, Unit};
    use super::*;

    const MUSTS: &[Must] = &[
        Must {
            text: "half of the floor",
            of: "own",
            to: Some("floor"),
            bound: Bound::AtMost(0.5),
            aim: None,
        },
        Must { text: "little", of: "own", to: None, bound: Bound::AtMost(1.0), aim: None },
        Must {
            text: "ahead of a peer that did not run",
            of: "peer",
            to: Some("own"),
            bound: Bound::AtLeast(1.0),
            aim: None,
        },
    ];

    const fn workload(name: &'static str) -> Workload {
        let (title, about) = ("", "");
        Workload { name, title, about, unit: Unit::Micros, floor: None, musts: MUSTS }
    }

    #[test]
    fn what_ran_is_judged_and_what_lacks_a_figure_does_not_hold() {
        let mut figures = Figures::default();
        for (contender, value) in [("own", 2.0), ("floor", 4.0)] {
            let line = format!(
                r#"{{"kind":"value","workload":"a","contender":"{contender}","round":0,"value":{value}}}"#
            );
            figures.take(&line).unwrap();
        }
        let verdicts = judged(&[workload("a"), workload("b")], &figures);
        let held: Vec<_> = verdicts.iter().map(|it| (it.workload, it.holds)).collect();
        assert_eq!(held, [("a", true), ("a", false), ("a", false)]);
        assert_eq!(verdicts[2].measured, None);
    }
}
