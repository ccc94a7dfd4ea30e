//! Listing by recency: what a page costs, and what a catalog that is wrong can't do.

use std::collections::BTreeSet;
use std::fs;

use sessile_core::backend::{Backend as _, Recent, Scope};
use sessile_core::digest::Digest;
use sessile_core::error::ErrorKind;
use sessile_fs::FsBackend;

use crate::many::{catalog, cost, listed, newest_first, store, store_of, walk, write};
use crate::processes;
use crate::scene::{self, Scene};

#[tokio::test(flavor = "multi_thread")]
async fn a_page_opens_the_journals_that_it_shows_and_no_others() {
    let scene = store(60).await;
    for limit in [1, 20] {
        // One more is the catalog itself.
        assert_eq!(cost(&scene, limit).await.opens, u64::try_from(limit).unwrap() + 1);
    }
    let backend = scene.backend().await;
    write(&backend, "s007", 1_000, 1, 20).await;
    // What is open elsewhere is looked at, and found where it belongs by now.
    let page = scene.backend().await.recent(&scene.key.space, &Scope::ALL, None, 1).await.unwrap();
    assert_eq!(page[0].recency.id.as_str(), "s007");
    for number in [3, 9] {
        write(&backend, &format!("s00{number}"), 5, 1, 20).await;
    }
    // Each of the three is opened to see that its note does not hold, and two to look at them
    // although they are not shown.
    // One more tells that whoever has them open is there.
    assert_eq!(cost(&scene, 20).await.opens, 20 + 1 + 3 + 2 + 1);
    backend.close().await.unwrap();
    assert_eq!(cost(&scene, 20).await.opens, 20 + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_reads_grows_with_the_page_and_not_with_the_store() {
    // Every fifth is large, and they are spread over the order.
    let scene = store_of(500, |number| if number % 5 == 0 { (16, 16 << 10) } else { (1, 20) });
    let scene = scene.await;
    let child = processes::child(&scene, "", "catalog::reads_a_page_as_a_child");
    assert!(child.wait_with_output().unwrap().status.success());
}

/// Bytes that this process has read so far, from wherever.
pub(crate) fn bytes_read() -> u64 {
    let io = fs::read_to_string("/proc/self/io").unwrap();
    io.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the child of the test above: the system counts bytes by process"]
async fn reads_a_page_as_a_child() {
    let root = std::env::var_os("SESSILE_TEST_ROOT").unwrap();
    let mut read = Vec::new();
    for limit in [1, 20, 100] {
        let backend = FsBackend::open(&root, sessile_fs::Options::default()).await.unwrap();
        let before = bytes_read();
        let page =
            backend.recent(&scene::key("any").space, &Scope::ALL, None, limit).await.unwrap();
        assert_eq!(page.len(), limit);
        read.push(bytes_read() - before);
    }
    // A look at a large journal reads its first 64 KiB, and its last ones twice.
    for (read, rows) in read.iter().zip([1, 20, 100]) {
        let at_most = rows / 5 * (200 << 10) + rows * (4 << 10) + 500 * 200;
        assert!(*read < at_most, "{read} bytes read for a page of {rows}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_becomes_of_the_catalog_all_sessions_are_listed_in_order() {
    let scene = store(9).await;
    let old = fs::read_to_string(catalog(&scene)).unwrap();
    // Of an earlier boot, for what somebody puts back within one is believed.
    let (boot, rest) = old.split_once('\n').unwrap();
    let boot = format!("{:0<44}", boot.get(..11).unwrap());
    let old = signed_anew(&format!("{boot}\n{rest}")).into_bytes();
    let backend = scene.backend().await;
    for number in 9..40 {
        write(&backend, &format!("s{number:03}"), 100 + number, 1, 20).await;
    }
    // Those that the old catalog knows have moved since.
    for number in 0..9 {
        write(&backend, &format!("s{number:03}"), 101 - number, 1, 20).await;
    }
    backend.close().await.unwrap();
    let mut expected = newest_first(40);
    expected[31..].reverse();
    assert_eq!(listed(&scene).await, expected);
    let good = fs::read(catalog(&scene)).unwrap();
    let junk: Vec<u8> =
        (0..20_000_u32).map(|n| Digest::of(&n.to_le_bytes()).as_bytes()[0]).collect();
    let elsewhere = fs::read(catalog(&store(12).await)).unwrap();
    let nobodys = String::from_utf8(good.clone()).unwrap().replace("\ts00", "\tt00");
    let signed = signed_anew(&nobodys);
    let halves = [&good[..good.len() / 2 - 7], &junk, &good[good.len() / 3..]].concat();
    let contents =
        [None, Some(old), Some(junk), Some(signed.into()), Some(elsewhere), Some(halves)];
    for (at, content) in (200..).zip(contents) {
        match content {
            None => fs::remove_file(catalog(&scene)).unwrap(),
            Some(content) => fs::write(catalog(&scene), content).unwrap(),
        }
        assert_eq!(listed(&scene).await, expected);
        let backend = scene.backend().await;
        write(&backend, &format!("new{at}"), at, 1, 20).await;
        expected.insert(0, format!("new{at}"));
        assert_eq!(listed(&scene).await, expected);
        backend.close().await.unwrap();
        assert_eq!(listed(&scene).await, expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn notes_on_journals_of_the_same_names_and_lengths_elsewhere_tell_nothing() {
    let [scene, other] = [store(20).await, Scene::new()];
    let backend = other.backend().await;
    for number in 0..20 {
        write(&backend, &format!("s{number:03}"), 300 - number, 1, 20).await;
    }
    backend.close().await.unwrap();
    let journals = |scene: &Scene| scene.root().join("spaces/default/sessions");
    for id in newest_first(20) {
        let [here, there] = [&scene, &other].map(|it| journals(it).join(format!("{id}.jsonl")));
        assert_eq!(fs::read(&here).unwrap().len(), fs::read(&there).unwrap().len());
    }
    fs::rename(journals(&scene), scene.folder.path().join("away")).unwrap();
    fs::rename(journals(&other), journals(&scene)).unwrap();
    assert_eq!(listed(&scene).await, newest_first(20).into_iter().rev().collect::<Vec<_>>());
}

/// Lines with the checksums that they should have.
fn signed_anew(lines: &str) -> String {
    let signed = lines.lines().map(|line| {
        let told = line.get(8..).unwrap();
        format!("{:08x}{told}\n", crc32c::crc32c(told.as_bytes()))
    });
    signed.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_neither_skip_nor_repeat_where_notes_that_hold_tell_wrong_times() {
    let scene = store(40).await;
    let truth = fs::read_to_string(catalog(&scene)).unwrap();
    let ids: BTreeSet<String> = newest_first(40).into_iter().collect();
    for seed in 0..12_u8 {
        let forged: String = truth
            .lines()
            .enumerate()
            .map(|(at, line)| {
                let mut parts: Vec<String> = line.split('\t').map(str::to_owned).collect();
                let byte = Digest::of(&at.to_le_bytes().map(|byte| byte ^ seed)).as_bytes()[0];
                // Few times for many sessions, the greatest and the least among them.
                if parts[1] == "c" {
                    let time = match byte % 6 {
                        0 => u64::MAX,
                        1 => 0,
                        other => 100 + u64::from(other) * 10,
                    };
                    parts[4] = format!("{time:x}");
                }
                parts.join("\t") + "\n"
            })
            .collect();
        fs::write(catalog(&scene), signed_anew(&forged)).unwrap();
        let shown = listed(&scene).await;
        assert_eq!(shown.len(), 40);
        assert_eq!(shown.iter().cloned().collect::<BTreeSet<_>>(), ids);
        for row in walk(&scene.backend().await, 9).await {
            let head = scene.backend().await.head(&scene::key(row.recency.id.as_str())).await;
            assert_eq!(
                row.seen.unwrap().into_head().unwrap().updated_at,
                head.unwrap().updated_at,
                "heads are true"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_of_a_store_is_listed_by_the_notes_that_came_with_it() {
    let scene = store(30).await;
    let copy = Scene::new();
    for (path, bytes) in scene::footprint(&scene) {
        let place = copy.folder.path().join(path.strip_prefix(scene.folder.path()).unwrap());
        if path.is_dir() {
            fs::create_dir_all(place).unwrap();
        } else {
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::write(place, bytes).unwrap();
        }
    }
    assert_eq!(listed(&copy).await, newest_first(30));
}

#[tokio::test(flavor = "multi_thread")]
async fn listing_writes_nothing_and_what_it_saw_is_written_with_what_others_write() {
    let scene = store(30).await;
    fs::remove_file(catalog(&scene)).unwrap();
    let before = scene::footprint(&scene);
    let reader = scene.backend().await;
    for _ in 0..2 {
        walk(&reader, 7).await;
    }
    let opens = reader.counts().opens;
    let page = reader.recent(&scene.key.space, &Scope::ALL, None, 20).await.unwrap();
    assert_eq!(page.len(), 20);
    // It remembers what it saw: journals that nobody added to are not looked at again.
    assert_eq!(reader.counts().opens - opens, 20);
    reader.close().await.unwrap();
    assert_eq!(scene::footprint(&scene), before);
    assert_eq!(cost(&scene, 20).await.opens, 30);
    write(&reader, "s000", 200, 1, 20).await;
    reader.close().await.unwrap();
    assert_eq!(cost(&scene, 20).await.opens, 20 + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_sessions_that_are_written_only_the_last_ones_stay_open() {
    let scene = Scene::new();
    let backend = scene.backend().await;
    for number in 0..200_u64 {
        scene::create(&backend, &scene::key(&format!("s{number:03}"))).await;
    }
    let padded = || {
        let files = scene::footprint(&scene).into_iter();
        files.filter(|(_, bytes)| bytes.len() == 64 << 10).count()
    };
    assert!(padded() <= 128, "{} files have padding", padded());
    assert!(cost(&scene, 20).await.opens <= 1 + 20 + 128);
    backend.close().await.unwrap();
    assert_eq!(padded(), 0);
    assert_eq!(cost(&scene, 20).await.opens, 1 + 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_catalog_that_can_not_be_written_stops_no_append_and_is_not_followed() {
    let scene = store(10).await;
    let canary = scene.folder.path().join("canary");
    fs::write(&canary, "alive").unwrap();
    for obstacle in 0..3 {
        fs::remove_file(catalog(&scene)).unwrap();
        match obstacle {
            0 => fs::create_dir(catalog(&scene)).unwrap(),
            1 => std::os::unix::fs::symlink(&canary, catalog(&scene)).unwrap(),
            _ => {
                fs::remove_dir(catalog(&scene).parent().unwrap()).unwrap();
                fs::write(catalog(&scene).parent().unwrap(), "in the way").unwrap();
            }
        }
        let backend = scene.backend().await;
        write(&backend, "s003", 200, 1, 20).await;
        backend.close().await.unwrap();
        assert_eq!(listed(&scene).await[..2], ["s003", "s009"]);
        if obstacle == 0 {
            fs::remove_dir(catalog(&scene)).unwrap();
            fs::write(catalog(&scene), "").unwrap();
        }
    }
    assert_eq!(fs::read_to_string(&canary).unwrap(), "alive");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_session_is_listed_and_looking_at_it_changes_nothing() {
    let scene = store(20).await;
    let journal = scene.root().join("spaces/default/sessions/s011.jsonl");
    let length = fs::read(&journal).unwrap().len();
    fs::write(&journal, vec![0; length]).unwrap();
    let before = scene::footprint(&scene);
    for _ in 0..2 {
        let mut ids = listed(&scene).await;
        ids.sort();
        assert_eq!(ids, newest_first(20).into_iter().rev().collect::<Vec<_>>());
        let rows = walk(&scene.backend().await, 7).await;
        let damaged: Vec<&Recent> = rows.iter().filter(|row| row.seen.is_err()).collect();
        assert_eq!(damaged.len(), 1);
        assert_eq!(damaged[0].recency.id.as_str(), "s011");
        let error = scene.backend().await.head(&scene::key("s011")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
    }
    assert_eq!(scene::footprint(&scene), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_that_can_not_be_seen_for_a_while_are_not_forgotten() {
    let scene = store(20).await;
    let sessions = scene.root().join("spaces/default/sessions");
    let away = scene.folder.path().join("away");
    fs::rename(&sessions, &away).unwrap();
    let noted = fs::read(catalog(&scene)).unwrap();
    assert!(walk(&scene.backend().await, 7).await.is_empty());
    let backend = scene.backend().await;
    write(&backend, "meanwhile", 1, 1, 20).await;
    backend.close().await.unwrap();
    assert!(fs::read(catalog(&scene)).unwrap().starts_with(&noted));
    fs::remove_dir_all(&sessions).unwrap();
    fs::rename(&away, &sessions).unwrap();
    assert_eq!(listed(&scene).await, newest_first(20));
    assert_eq!(cost(&scene, 20).await.opens, 20 + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_that_let_go_of_many_sessions_break_no_line_of_the_catalog() {
    let scene = Scene::new();
    let children = ["a", "b"]
        .map(|name| processes::child(&scene, name, "catalog::opens_and_closes_as_a_child"));
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(listed(&scene).await.len(), 2 * 20);
    assert_eq!(cost(&scene, 1).await.opens, 1 + 1);
    let lines = fs::read_to_string(catalog(&scene)).unwrap();
    // Each opening and each closing, which boot it is, and which sessions there were as of some time.
    let is_told = |line: &str, kind: &str| line.get(8..).is_some_and(|it| it.starts_with(kind));
    let told = |kind: &str| lines.lines().filter(|line| is_told(line, kind)).count();
    assert_eq!((told("\to\t"), told("\tc\t")), (2 * 20 * 5, 2 * 20 * 5));
    assert_eq!(signed_anew(&lines), lines);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the child of the test above"]
async fn opens_and_closes_as_a_child() {
    let root = std::env::var_os("SESSILE_TEST_ROOT").unwrap();
    let name = std::env::var("SESSILE_TEST_NAME").unwrap();
    let backend = FsBackend::open(root, sessile_fs::Options::default()).await.unwrap();
    for round in 0..5 {
        for number in 0..20 {
            write(&backend, &format!("{name}{number}"), 100 * round + number, 1, 20).await;
            backend.close().await.unwrap();
        }
    }
}
