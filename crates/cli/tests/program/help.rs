//! What the program says of itself.

use crate::scene::Scene;

#[test]
fn every_command_has_an_example() {
    let scene = Scene::new();
    let commands = scene.commands();
    assert!(commands.len() > 20, "{commands:?}");
    for command in commands.iter().filter(|command| *command != "help") {
        let help = scene.done(&[command, "--help"], "").out;
        let example = help.split_once("Example: ").unwrap_or_else(|| panic!("{command}: {help}")).1;
        assert!(example.lines().next().unwrap().contains(&format!("sessile {command}")), "{help}");
    }
}

#[test]
fn a_wrong_command_line_is_told_in_json_where_that_is_asked_for() {
    let scene = Scene::new();
    for args in [&["--json"][..], &["--json", "frobnicate"], &["show", "--json"]] {
        let run = scene.run(args);
        assert_eq!((run.status, run.error_kind().as_str()), (2, "usage"), "{args:?}");
        assert_eq!(run.out, "", "{args:?}");
    }
}
