//! Links that wait under the names that the store uses: none is followed, and whoever meets one in
//! the place of something of the store's is told so.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use sessile_core::backend::Backend as _;
use sessile_core::error::{Error, ErrorKind};

use super::life::{self, LIFE, Operation};

/// What to expect of links under some names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Met {
    /// What needs the name is refused.
    Refused,
    /// Another name is taken, or what is only derived is done without.
    PassedBy,
}

/// Every name that a life uses, below the root.
fn names() -> Vec<(Vec<String>, Met)> {
    let in_space = |name: &str| format!("spaces/default/{name}");
    let refused = ["sessions", "sessions/s.jsonl", "sessions/s.lock", "set-aside", "set-aside/s"]
        .into_iter()
        .chain(["documents", "documents/c", "documents/c/n.doc", "documents/c/collection.lock"])
        .map(in_space)
        .chain(["sessile.json", "spaces", "spaces/default"].map(str::to_owned));
    let passed_by = ["catalog", "catalog/recency"].map(in_space);
    let temporary = |folder: &str| {
        let pid = std::process::id();
        (0..300).map(|number| format!("{folder}.{pid}-{number}.tmp")).collect::<Vec<_>>()
    };
    let fragments = (0..3_000).map(|offset| in_space(&format!("set-aside/s/{offset}-0"))).collect();
    let mut names: Vec<_> = refused.map(|name| (vec![name], Met::Refused)).collect();
    names.extend(passed_by.map(|name| (vec![name], Met::PassedBy)));
    names.push((fragments, Met::PassedBy));
    for folder in ["", "spaces/default/sessions/", "spaces/default/documents/c/"] {
        names.push((temporary(folder), Met::PassedBy));
    }
    names
}

/// Everything below a folder: modes, and the bytes of files.
fn footprint(folder: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let mode = fs::symlink_metadata(&path).unwrap().permissions().mode();
            let bytes = if path.is_dir() { Vec::new() } else { fs::read(&path).unwrap() };
            folders.extend(path.is_dir().then(|| path.clone()));
            found.insert(path, (mode, bytes));
        }
    }
    found
}

#[test]
fn no_link_that_waits_under_a_name_of_the_store_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = life::child("tests::links::meets_links_as_a_child", folder.path());
    assert!(child.status().unwrap().success());
}

#[tokio::test]
#[ignore = "the child of the test above: temporary names begin anew in each process"]
#[expect(clippy::disallowed_methods, reason = "a file that others wrote is what links lead to")]
async fn meets_links_as_a_child() {
    let folder = PathBuf::from(std::env::var_os("SESSILE_TEST_ROOT").unwrap());
    // What would be read if it were followed: another store with the same names.
    let outside = folder.join("outside");
    let backend = life::open(&outside).await.unwrap();
    for operation in LIFE.into_iter().take_while(|operation| *operation != Operation::Remove) {
        operation.run(&backend).await.unwrap();
        backend.close().await.unwrap();
    }
    let canary = outside.join("canary");
    fs::write(&canary, "alive").unwrap();
    fs::set_permissions(&canary, fs::Permissions::from_mode(0o644)).unwrap();
    let before = footprint(&outside);

    for (number, (names, met)) in names().into_iter().enumerate() {
        for target in ["its counterpart", "canary", "nothing"] {
            let root = folder.join(format!("{number} {target}"));
            let links: Vec<(PathBuf, PathBuf)> = names
                .iter()
                .map(|name| {
                    let counterpart = outside.join(name);
                    let is_there = target == "its counterpart" && counterpart.exists();
                    let to = if is_there { counterpart } else { outside.join(target) };
                    (root.join(name), to)
                })
                .collect();
            let name = names.first().unwrap();
            make_way(&root, name);
            for (link, to) in &links {
                symlink(to, link).unwrap();
            }
            let refusals = live(&root).await;
            let case = format!("{name} to {target}: {refusals:#?}");
            assert_eq!(footprint(&outside), before, "{case}");
            let stays =
                |(link, to): &(PathBuf, PathBuf)| fs::read_link(link).ok().as_ref() == Some(to);
            let is_fragment = name.contains("set-aside/s/");
            assert!(is_fragment || links.iter().all(stays), "{case}");
            let last = Path::new(name).file_name().unwrap().to_str().unwrap();
            let told = |error: &Error| {
                let named = error.to_string().contains(&format!("{last} is a link"));
                error.kind() == ErrorKind::Permission && named && error.hint().is_some()
            };
            match met {
                Met::Refused => assert!(refusals.iter().any(told), "{case}"),
                Met::PassedBy => assert!(refusals.is_empty(), "{case}"),
            }
        }
    }
}

/// Makes a store with the folders above a name, and nothing else in it.
#[expect(clippy::disallowed_methods, reason = "the store must not come to the name itself")]
fn make_way(root: &Path, name: &str) {
    let private = |path: &Path| fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    let is_root_new = name == "sessile.json" || name.starts_with('.');
    private(root.join(name).parent().unwrap()).unwrap();
    if !is_root_new {
        fs::write(root.join("sessile.json"), r#"{"sessile":"store","format":1}"#).unwrap();
    }
}

/// Does all that is ever done to a store; answers what was refused.
async fn live(root: &Path) -> Vec<Error> {
    let mut refusals = Vec::new();
    for operation in LIFE {
        match life::open(root).await {
            Ok(backend) => refusals.extend(operation.run(&backend).await.err()),
            Err(error) => refusals.push(error),
        }
    }
    refusals
}
