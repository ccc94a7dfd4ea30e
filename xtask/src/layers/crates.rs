//! The staircase of crates, and the dependencies that climb it.

use std::path::Path;

use crate::cargo::{self, Package};
use crate::report::Finding;

/// Each member with its step: it may use members on lower steps only.
///
/// Crates on one step do not know each other. So no backend can lean on another, the engine runs
/// over any of them, and what the suite finds never depends on how the facade wires things.
/// Dev-dependencies may point anywhere: a backend tests itself with the suite that stands above it.
pub(super) const STAIRCASE: &[(u8, &str)] = &[
    (0, "sessile-core"),
    (1, "sessile-interchange"),
    (2, "sessile-memory"),
    (2, "sessile-fs"),
    (2, "sessile-object"),
    (2, "sessile-engine"),
    // Step 3 is for what is built on the engine or on a backend's documents.
    (3, "sessile-records"),
    (3, "sessile-workflow"),
    (4, "sessile-conformance"),
    (4, "sessile"),
    (5, "sessile-cli"),
    (6, "sessile-bench"),
    (6, "xtask"),
];

/// The file a finding about the table itself points at.
const TABLE: &str = "xtask/src/layers/crates.rs";

/// Every dependency that does not lead down, and every difference of table and workspace.
pub(super) fn climbs(staircase: &[(u8, &str)], members: &[Package]) -> Vec<Finding> {
    let step = |name: &str| staircase.iter().find(|(_, row)| *row == name).map(|(step, _)| *step);
    let mut findings = Vec::new();
    for member in members {
        let manifest =
            member.manifest_path.strip_prefix(cargo::root()).unwrap_or(&member.manifest_path);
        let Some(here) = step(&member.name) else {
            let text = format!("{} has no step: give it a row in {TABLE}", member.name);
            findings.push(Finding::about(manifest, text));
            continue;
        };
        let binding = member.dependencies.iter().filter(|it| it.kind.as_deref() != Some("dev"));
        for dependency in binding {
            // What has no step is either foreign, or a member that is reported for itself.
            let Some(there) = step(&dependency.name) else {
                continue;
            };
            if there < here {
                continue;
            }
            let (name, other) = (&member.name, &dependency.name);
            let text = if there == here {
                format!(
                    "{name} uses {other}, which stands beside it on step {here}: crates on one \
                     step do not know each other; move what both need to a lower step"
                )
            } else {
                format!(
                    "{name} (step {here}) uses {other} (step {there}), which stands above it: \
                     move what it needs down, or make it a dev-dependency if only tests use it"
                )
            };
            findings.push(Finding::about(manifest, text));
        }
    }
    for (_, row) in staircase {
        if !members.iter().any(|member| member.name == *row) {
            let text = format!("{row} is no member of the workspace: remove its row");
            findings.push(Finding::about(Path::new(TABLE), text));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cargo::Dependency;

    const STEPS: &[(u8, &str)] = &[(0, "core"), (1, "fs"), (1, "memory"), (2, "suite")];

    fn member(name: &str, dependencies: &[(&str, Option<&str>)]) -> Package {
        let dependencies = dependencies
            .iter()
            .map(|(name, kind)| Dependency {
                name: (*name).to_owned(),
                kind: kind.map(str::to_owned),
            })
            .collect();
        Package {
            name: name.to_owned(),
            manifest_path: format!("crates/{name}/Cargo.toml").into(),
            dependencies,
            targets: Vec::new(),
        }
    }

    /// The staircase of `STEPS` with other dependencies for one of its members.
    fn with(changed: Package) -> Vec<String> {
        let mut members = vec![
            member("core", &[("serde", None)]),
            member("fs", &[("core", None)]),
            member("memory", &[("core", None)]),
            member("suite", &[("core", None), ("memory", None)]),
        ];
        members.retain(|it| it.name != changed.name);
        members.push(changed);
        climbs(STEPS, &members).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn a_dependency_may_lead_down() {
        assert_eq!(with(member("fs", &[("core", None)])), [""; 0]);
    }

    #[test]
    fn a_dependency_that_climbs_is_refused() {
        let expected = "crates/core/Cargo.toml: core (step 0) uses suite (step 2), which stands \
                        above it: move what it needs down, or make it a dev-dependency if only \
                        tests use it";
        assert_eq!(with(member("core", &[("suite", None)])), [expected]);
    }

    #[test]
    fn a_build_dependency_binds_like_a_normal_one() {
        assert_eq!(with(member("core", &[("fs", Some("build"))])).len(), 1);
    }

    #[test]
    fn crates_on_one_step_do_not_know_each_other() {
        let found = with(member("fs", &[("memory", None)]));
        assert!(found.iter().all(|it| it.contains("beside it on step 1")), "{found:?}");
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn a_dev_dependency_may_point_anywhere() {
        assert_eq!(with(member("fs", &[("suite", Some("dev"))])), [""; 0]);
    }

    #[test]
    fn a_member_without_a_step_is_refused() {
        let found = with(member("stray", &[]));
        assert_eq!(
            found,
            ["crates/stray/Cargo.toml: stray has no step: give it a row in \
                 xtask/src/layers/crates.rs"]
        );
    }

    #[test]
    fn a_row_without_a_member_is_refused() {
        let found = climbs(&[(0, "ghost")], &[]);
        assert_eq!(found.len(), 1);
    }
}
