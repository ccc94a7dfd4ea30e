//! Which servers there are, and how each is installed, run and recognised.

use std::path::Path;
use std::process::Command;

/// A server that tests talk to.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    /// The variable that tells tests its address.
    pub(super) variable: &'static str,
    /// The variable that tells tests where it is installed.
    pub(super) programs: &'static str,
    /// The programs that must be there to install and to run it.
    pub(super) tools: &'static [Tool],
    /// Installs it into a folder that is there and empty.
    pub(super) install: fn(&Path) -> Command,
    /// Runs the one that is installed in a folder, on a port of loopback.
    pub(super) command: fn(&Path, u16) -> Command,
    pub(super) probe: Probe,
}

/// A program that must be there.
#[derive(Debug)]
pub(super) struct Tool {
    /// What answers with success if it is there.
    pub(super) question: &'static [&'static str],
    /// The package of Debian that has it.
    pub(super) package: &'static str,
}

/// How a server is known to be up, and to be the one that was started.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    /// What is asked for with GET.
    pub(super) path: &'static str,
    /// What stands in the answer of this server and of no other.
    pub(super) sign: &'static str,
}

impl Kind {
    pub(super) fn versioned(&self) -> String {
        format!("{} {}", self.name, self.version)
    }
}

/// Starts it without its collector of garbage.
///
/// The collector runs ten minutes after the start and looks through all deleted blobs once for each
/// of them, so after tests that deleted some ten thousand the server answers nobody for minutes. A
/// timer can't be longer than this. Words behind `--` stand where a script's words would not.
const AZURITE: &str = "\
    const blob = process.cwd() + '/node_modules/azurite/dist/src/blob/';\
    const constants = require(blob + 'utils/constants.js');\
    if (!constants.DEFAULT_GC_INTERVAL_MS) throw new Error('its collector can no longer be put off');\
    constants.DEFAULT_GC_INTERVAL_MS = 2 ** 31 - 1;\
    process.argv.splice(1, 0, blob + 'main.js');\
    require(process.argv[1]);";

/// Chosen because they check a condition and write in one step, so that races have one winner.
pub(super) const KINDS: &[Kind] = &[
    Kind {
        name: "ministack",
        version: "1.5.33",
        variable: "SESSILE_TEST_S3",
        programs: "SESSILE_TEST_S3_PROGRAMS",
        tools: &[Tool { question: &["python3", "-m", "pip", "--version"], package: "python3-pip" }],
        install: |folder| {
            let mut pip = Command::new("python3");
            pip.args(["-m", "pip", "install", "--quiet", "--no-input"]);
            pip.args(["--disable-pip-version-check", "--target"]);
            pip.arg(folder).arg("ministack==1.5.33");
            pip
        },
        command: |folder, port| {
            let mut ministack = Command::new("python3");
            ministack.args(["-m", "ministack"]);
            ministack.env("PYTHONPATH", folder).env("TMPDIR", folder);
            ministack.env("BIND_HOST", "127.0.0.1").env("GATEWAY_PORT", port.to_string());
            // Else it listens for other protocols too, on fixed ports of every interface.
            ministack.env("SERVICES", "s3").env("IOT_MTLS_ENABLED", "0");
            ministack
        },
        probe: Probe { path: "/_ministack/health", sign: r#""version": "1.5.33""# },
    },
    Kind {
        name: "azurite",
        version: "3.35.0",
        variable: "SESSILE_TEST_AZURE",
        programs: "SESSILE_TEST_AZURE_PROGRAMS",
        tools: &[
            Tool { question: &["node", "--version"], package: "nodejs" },
            Tool { question: &["npm", "--version"], package: "npm" },
        ],
        install: |folder| {
            let mut npm = Command::new("npm");
            npm.args(["install", "--no-audit", "--no-fund", "--no-package-lock"]);
            npm.args(["--ignore-scripts", "--loglevel=error", "--prefix"]);
            npm.arg(folder).arg("azurite@3.35.0");
            npm
        },
        command: |folder, port| {
            let mut azurite = Command::new("node");
            azurite.args(["--eval", AZURITE]);
            azurite.args(["--", "--blobHost", "127.0.0.1", "--blobPort", &port.to_string()]);
            azurite.args(["--inMemoryPersistence", "--silent", "--disableTelemetry"]);
            // The client is newer than the newest version of the protocol that it knows.
            azurite.arg("--skipApiVersionCheck").current_dir(folder);
            azurite
        },
        probe: Probe { path: "/devstoreaccount1?comp=list", sign: "Azurite-Blob/3.35.0" },
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_installed_is_of_the_version_that_is_named() {
        for kind in KINDS {
            let install = format!("{:?}", (kind.install)(Path::new("/x")));
            assert!(install.contains(kind.name) && install.contains(kind.version), "{install}");
            assert!(kind.probe.sign.contains(kind.version), "{}", kind.name);
        }
    }

    #[test]
    fn a_server_listens_on_the_port_it_is_given_and_on_loopback_only() {
        for kind in KINDS {
            let run = format!("{:?}", (kind.command)(Path::new("/x"), 4321));
            assert!(run.contains("4321") && run.contains("127.0.0.1"), "{run}");
        }
    }
}
