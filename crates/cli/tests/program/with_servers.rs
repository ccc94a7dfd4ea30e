//! What needs the servers that `cargo xtask test` starts; `--local` passes over this module.

use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use crate::bucket::Bucket;
use crate::interrupted;
use crate::scene::{Run, Scene};

/// Runs the program, which must succeed, with the variables that open a bucket.
fn done(scene: &Scene, bucket: &Bucket, args: &[&str]) -> Run {
    let run = with_keys(scene, bucket, args);
    assert_eq!(run.status, 0, "{args:?}: {}{}", run.err, run.out);
    run
}

fn with_keys(scene: &Scene, bucket: &Bucket, args: &[&str]) -> Run {
    let mut command = scene.command(args);
    command.envs(bucket.variables.iter().map(|(name, value)| (name, value)));
    Run::of(&command.output().unwrap())
}

/// Checks a place, fills it, copies it to a folder and reads both.
fn uses(bucket: &Bucket) {
    let scene = Scene::with_messages(3);
    let (here, there) = (scene.store(), bucket.below("agents%20here/prod"));
    let checked = done(&scene, bucket, &["--json", "check", &there]).json().remove(0);
    assert_eq!(checked["ok"], true, "{checked}");
    assert!(checked["findings"].as_array().unwrap().len() > 5, "{checked}");

    let copied = done(&scene, bucket, &["--json", "copy", &here, &there]).json();
    assert_eq!(copied[0]["added"], 4);
    assert_eq!(done(&scene, bucket, &["--json", "copy", &here, &there]).json()[0]["added"], 0);
    let at = ["--json", "--store", &there];
    let show = [&at[..], &["show", "s"]].concat();
    let shown = done(&scene, bucket, &show).out;
    assert_eq!(shown, scene.done(&["--json", "show", "s"], "").out);
    done(&scene, bucket, &[&at[..], &["title", "s", "the title"]].concat());
    let listed = done(&scene, bucket, &[&at[..], &["list"]].concat()).json();
    assert_eq!(listed[0]["title"], "the title");
    done(&scene, bucket, &[&at[..], &["verify"]].concat());

    let back = format!("file:{}", scene.folder().join("back").display());
    done(&scene, bucket, &["copy", &there, &back]);
    let again = done(&scene, bucket, &["--json", "--store", &back, "show", "s"]).out;
    assert_eq!(again, shown);

    let nowhere = there.replacen("sessile-", "sessile-not-", 1);
    let run = with_keys(&scene, bucket, &["check", &nowhere]);
    assert_eq!(run.status, 6, "{}{}", run.out, run.err);
    assert!(run.out.contains("no such bucket"), "{}", run.out);
}

#[tokio::test]
async fn a_place_on_s3_is_checked_and_used() {
    uses(&Bucket::s3().await);
}

#[tokio::test]
async fn a_place_on_azure_is_checked_and_used() {
    uses(&Bucket::azure().await);
}

/// Kills copies and moves of a long session from one place to others at moments that chance chooses, and
/// has them completed by the same commands.
fn completes(
    scene: &Scene,
    bucket: &Bucket,
    from: &dyn Fn(&str) -> String,
    to: &dyn Fn(&str) -> String,
) {
    let show = |place: &str| {
        with_keys(scene, bucket, &["--json", "--store", place, "show", "s", "--events"])
    };
    let source = from("source");
    done(scene, bucket, &["copy", &scene.store(), &source, "s"]);
    let whole = interrupted::entries(&show(&source));
    let began = Instant::now();
    done(scene, bucket, &["copy", &source, &to("timed"), "s"]);
    let moments = interrupted::by_chance(began.elapsed(), 4);
    for (number, moment) in moments.enumerate() {
        let moves = number % 2 == 1;
        let (source, target) = (from(&format!("from-{number}")), to(&format!("to-{number}")));
        done(scene, bucket, &["copy", &scene.store(), &source, "s"]);
        let mut args = vec!["copy", &source, &target];
        args.extend(moves.then_some("--move"));
        let mut command = scene.command(&args);
        command.envs(bucket.variables.iter().map(|(name, value)| (name, value)));
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        interrupted::end(child, "-KILL", moment, Path::new(""));
        let left = show(&source);
        let there = interrupted::entries(&show(&target));
        assert!(whole.starts_with(&there), "{moment:?}: something else is there");
        if left.status == 3 {
            assert!(moves && there == whole, "{moment:?}: deleted before all of it was there");
        } else {
            assert_eq!(interrupted::entries(&left), whole, "{moment:?}");
        }
        done(scene, bucket, &args);
        assert_eq!(interrupted::entries(&show(&target)), whole, "{moment:?}");
        done(scene, bucket, &["--store", &target, "verify"]);
        assert_eq!(show(&source).status, if moves { 3 } else { 0 }, "{moment:?}");
    }
}

#[tokio::test]
async fn a_copy_to_a_bucket_that_was_killed_is_completed_by_the_same_command() {
    let (scene, bucket) = (interrupted::long(), Bucket::s3().await);
    let folder = |name: &str| format!("file:{}", scene.folder().join(name).display());
    completes(&scene, &bucket, &folder, &|name| bucket.below(name));
}

#[tokio::test]
async fn a_copy_from_a_bucket_that_was_killed_is_completed_by_the_same_command() {
    let (scene, bucket) = (interrupted::long(), Bucket::s3().await);
    let folder = |name: &str| format!("file:{}", scene.folder().join(name).display());
    completes(&scene, &bucket, &|name| bucket.below(name), &folder);
}
