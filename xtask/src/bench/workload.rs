//! What is known of a workload before it runs.

/// What the figures of a workload are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Micros,
    Mebibytes,
    Count,
}

impl Unit {
    /// A figure as people read it.
    pub(super) fn show(self, value: f64) -> String {
        match self {
            Self::Mebibytes => format!("{value:.1} MiB"),
            Self::Count if value == 0.0 || value >= 0.01 => format!("{value:.2}"),
            Self::Count => format!("{value:.6}"),
            Self::Micros if value < 1e3 => format!("{value:.1} us"),
            Self::Micros if value < 1e6 => format!("{:.2} ms", value / 1e3),
            Self::Micros => format!("{:.2} s", value / 1e6),
        }
    }
}

/// What a figure must be, at least or at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

impl Bound {
    pub(super) fn holds(self, value: f64) -> bool {
        match self {
            Self::AtMost(bound) => value <= bound,
            Self::AtLeast(bound) => value >= bound,
        }
    }

    pub(super) fn show(self) -> String {
        match self {
            Self::AtMost(bound) => format!("<= {bound:.2}"),
            Self::AtLeast(bound) => format!(">= {bound:.2}"),
        }
    }
}

/// What must hold of a workload's figures.
#[derive(Clone, Copy, Debug)]
pub(super) struct Must {
    pub(super) text: &'static str,
    pub(super) of: &'static str,
    /// What `of` is divided by; none where its figure itself is bound.
    pub(super) to: Option<&'static str>,
    pub(super) bound: Bound,
    /// What is hoped for beyond; none where the bound is all there is.
    pub(super) aim: Option<f64>,
}

/// A workload of the bench.
#[derive(Clone, Copy, Debug)]
pub(super) struct Workload {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// What is compared, for whoever reads the table.
    pub(super) about: &'static str,
    pub(super) unit: Unit,
    /// The contender that the others are divided by.
    pub(super) floor: Option<&'static str>,
    pub(super) musts: &'static [Must],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_in_the_unit_that_fits() {
        let shown = [0.5, 185.04, 2_431.0, 1_234_567.0].map(|value| Unit::Micros.show(value));
        assert_eq!(shown, ["0.5 us", "185.0 us", "2.43 ms", "1.23 s"]);
        assert_eq!(Unit::Count.show(0.000_029), "0.000029");
        assert_eq!(Unit::Count.show(0.0), "0.00");
        assert_eq!(Unit::Mebibytes.show(4.04), "4.0 MiB");
    }

    #[test]
    fn a_bound_holds_where_it_is_met() {
        assert!(Bound::AtMost(0.85).holds(0.85));
        assert!(!Bound::AtMost(0.85).holds(0.86));
        assert!(Bound::AtLeast(1.1).holds(1.1));
        assert!(!Bound::AtLeast(1.1).holds(f64::NAN));
    }
}
