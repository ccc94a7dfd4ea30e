//! Completions and the manual.

use std::fs;

use crate::scene::Scene;

#[test]
fn every_command_is_completed_in_every_shell_and_has_a_page() {
    let scene = Scene::new();
    let folder = scene.folder().join("man");
    fs::create_dir(&folder).unwrap();
    scene.done(&["manual", "-o", folder.to_str().unwrap()], "");
    let all = scene.done(&["manual"], "").out;
    assert!(all.starts_with(".ie") || all.contains(".TH sessile 1"), "{all}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = scene.done(&["completions", shell], "").out;
        for command in scene.commands() {
            assert!(script.contains(&command), "{shell}: {command}");
        }
    }
    for command in scene.commands().iter().filter(|command| *command != "help") {
        let page = fs::read_to_string(folder.join(format!("sessile-{command}.1"))).unwrap();
        assert!(page.contains("Example: "), "{command}");
    }
    assert!(!scene.folder().join("store").exists(), "no store is made for it");
}
