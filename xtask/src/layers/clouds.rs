//! What only the clouds bring along: an HTTP client and TLS. Without their features nobody builds
//! or trusts either.

use std::path::Path;

use anyhow::ensure;

use crate::cargo;
use crate::report::Finding;

/// The packages that speak HTTP or TLS, or build a C library for it.
const OF_CLOUDS: &[&str] = &[
    "aws-lc-rs",
    "aws-lc-sys",
    "h2",
    "hyper",
    "hyper-util",
    "native-tls",
    "openssl",
    "quinn",
    "reqwest",
    "ring",
    "rustls",
    "rustls-webpki",
];

/// Every build of the facade without the feature of a cloud.
const BUILDS: &[&str] = &["", "fs", "object", "fs,object"];

/// Refuses what only the clouds may bring along, in builds without them.
///
/// # Errors
/// Where cargo does not tell what a build depends on.
pub(super) fn without(manifest: &Path) -> anyhow::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for features in BUILDS {
        let tree = cargo::captured(cargo::command(&[
            "tree",
            "--locked",
            "--package",
            "sessile",
            "--edges",
            "normal",
            "--prefix",
            "none",
            "--no-default-features",
            "--features",
            features,
        ]))?;
        ensure!(tree.passed, "cargo tree does not answer: {}", tree.text.trim_end());
        findings.extend(among(&tree.text).map(|package| {
            let text = format!(
                "with features `{features}` it depends on {package}, which only a cloud may bring"
            );
            Finding::about(manifest, text)
        }));
    }
    Ok(findings)
}

/// Which of the clouds' packages a tree holds, each once.
fn among(tree: &str) -> impl Iterator<Item = &'static str> {
    let names: Vec<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    OF_CLOUDS.iter().copied().filter(move |package| names.contains(package))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_clouds_bring_is_found_by_its_whole_name() {
        let tree = "sessile v0.1.0\nhyperscan v1.0.0\nrustls v0.23.0\nhttp v1.2.0\n";
        assert_eq!(among(tree).collect::<Vec<_>>(), ["rustls"]);
        assert_eq!(among("sessile v0.1.0\nhttp v1.2.0\n").count(), 0);
    }

    #[test]
    fn with_a_cloud_they_are_there() {
        let tree = cargo::captured(cargo::command(&[
            "tree",
            "--locked",
            "--package",
            "sessile",
            "--edges",
            "normal",
            "--prefix",
            "none",
            "--features",
            "aws",
        ]));
        let found: Vec<&str> = among(&tree.unwrap().text).collect();
        assert!(found.contains(&"reqwest") && found.contains(&"rustls"), "{found:?}");
    }
}
