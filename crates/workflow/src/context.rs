//! The execution context: what the work of a session starts from.

use std::fmt;

use serde::{Deserialize, Serialize};
use sessile_core::lens::View;
use sessile_core::{Error, Payload};

use crate::problem::Problem;

/// Says what an execution context may be.
///
/// A context is a JSON object; an empty one is none. It is given whole and replaced whole.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use sessile_engine::Store;
/// # use sessile_memory::MemoryBackend;
/// use serde::{Deserialize, Serialize};
/// use serde_json::json;
/// use sessile_core::Payload;
/// use sessile_workflow::{Begin, ContextRule, Options, Workflow};
///
/// /// A branch, and nothing else.
/// #[derive(Debug, Deserialize, Serialize)]
/// #[serde(deny_unknown_fields)]
/// struct Branch {
///     branch: String,
/// }
///
/// #[derive(Debug)]
/// struct OneBranch;
///
/// impl ContextRule for OneBranch {
///     fn check(&self, context: &Payload) -> Result<Payload, String> {
///         let given: Branch = context.decode().map_err(|_| "it has one member, `branch`")?;
///         let branch = given.branch.trim().to_owned();
///         Payload::of(&Branch { branch }).map_err(|error| error.to_string())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), sessile_core::Error> {
/// let mut options = Options::default();
/// options.context = Arc::new(OneBranch);
/// # let engine = Workflow::engine(sessile_engine::Options::default(), &options);
/// # let store = Store::with(Arc::new(MemoryBackend::new()), engine);
/// # let workflow = Workflow::on(store, options)?.as_owner("team-7");
/// let work = |context| workflow.begin(Begin::new().project("shop").context(&context));
/// let begun = work(json!({"branch": " main "})).await?.summary;
/// assert_eq!(begun.context.as_ref().map(Payload::as_str), Some(r#"{"branch":"main"}"#));
/// assert!(work(json!({"branch": "main", "remote": "origin"})).await.is_err());
/// # Ok(())
/// # }
/// ```
pub trait ContextRule: fmt::Debug + Send + Sync {
    /// The context in its normal form.
    ///
    /// # Errors
    /// Why it is refused, in words that quote nothing of it.
    fn check(&self, context: &Payload) -> Result<Payload, String>;
}

/// Takes every object.
///
/// # Examples
/// ```
/// use sessile_core::Payload;
/// use sessile_workflow::{AnyContext, ContextRule, ToolContext};
///
/// # fn main() -> Result<(), sessile_core::Error> {
/// // What it means is between those who set it and those who read it: it comes back as it is.
/// let context = Payload::parse(r#"{"ticket": 47.10}"#)?;
/// assert_eq!(AnyContext.check(&context), Ok(context.clone()));
/// assert!(ToolContext.check(&context).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnyContext;

impl ContextRule for AnyContext {
    fn check(&self, context: &Payload) -> Result<Payload, String> {
        Ok(context.clone())
    }
}

/// Takes defaults of tools and nothing else: `default_cwd`, `default_shell` (`sh` or `bash`), and
/// `resource`, the name of another machine, which makes `default_cwd` a path there.
///
/// # Examples
/// ```
/// use sessile_core::Payload;
/// use sessile_workflow::{ContextRule, ToolContext};
///
/// # fn main() -> Result<(), sessile_core::Error> {
/// let context = Payload::parse(r#"{"default_cwd":"./src//x\\y/"}"#)?;
/// let normal = ToolContext.check(&context).expect("it is a path below the project");
/// assert_eq!(normal.as_str(), r#"{"default_cwd":"src/x/y"}"#);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToolContext;

/// The members that such a context may have.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Defaults {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    default_cwd: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    default_shell: Option<Shell>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resource: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Shell {
    Sh,
    Bash,
}

/// The most bytes of the name of a resource, and of a path on it.
const RESOURCE_BYTES: usize = 80;
const REMOTE_BYTES: usize = 4_096;

impl ContextRule for ToolContext {
    fn check(&self, context: &Payload) -> Result<Payload, String> {
        let defaults: Defaults =
            context.decode().map_err(|_| "it has a member or a value that it must not have")?;
        let resource = defaults.resource.map(|it| resource(&it)).transpose()?;
        let cwd = defaults.default_cwd;
        let cwd = if resource.is_some() {
            cwd.map(remote).transpose()?
        } else {
            cwd.map(|it| local(&it)).transpose()?
        };
        let normal = Defaults { default_cwd: cwd, default_shell: defaults.default_shell, resource };
        Payload::of(&normal).map_err(|error| error.clause().to_owned())
    }
}

fn resource(name: &str) -> Result<String, String> {
    let name = name.trim();
    let is_taken = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let fits = (1..=RESOURCE_BYTES).contains(&name.len());
    if fits && name.bytes().all(is_taken) && !name.contains("..") {
        Ok(name.to_owned())
    } else {
        Err("resource is 1 to 80 of A-Z a-z 0-9 _ - . without two dots in a row".to_owned())
    }
}

fn remote(path: String) -> Result<String, String> {
    let fits = (1..=REMOTE_BYTES).contains(&path.len());
    if fits && !path.chars().any(char::is_control) {
        Ok(path)
    } else {
        Err("default_cwd on a resource is 1 to 4,096 bytes without control characters".to_owned())
    }
}

/// A path below the project, whatever slashes it is written with.
fn local(path: &str) -> Result<String, String> {
    let refused = || Err("default_cwd leads out of the project".to_owned());
    let is_rooted = path.starts_with(['/', '\\']);
    let has_prefix = matches!(path.as_bytes(), [drive, b':', ..] if drive.is_ascii_alphabetic());
    if path.contains('\0') || is_rooted || has_prefix {
        return refused();
    }
    let parts = path.split(['/', '\\']).filter(|part| !matches!(*part, "" | "."));
    let parts: Vec<&str> = parts.collect();
    if parts.contains(&"..") {
        return refused();
    }
    Ok(if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
}

/// A context in its normal form: an object that its rule takes.
///
/// # Errors
/// *refused* with the rule's words.
pub(crate) fn check(rule: &dyn ContextRule, context: &Payload) -> Result<Payload, Error> {
    let refused = |why: String| Problem::InvalidContext(why).error();
    if !View::of(context).is_object() {
        return Err(refused("it is no JSON object".to_owned()));
    }
    if is_empty(context) {
        return Ok(context.clone());
    }
    let normal = rule.check(context).map_err(refused)?;
    if View::of(&normal).is_object() {
        Ok(normal)
    } else {
        Err(refused("its rule made no JSON object of it".to_owned()))
    }
}

/// Whether a context has no members.
pub(crate) fn is_empty(context: &Payload) -> bool {
    View::of(context).members().next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload(json: &str) -> Payload {
        Payload::parse(json.to_owned()).unwrap()
    }

    #[test]
    fn tools_take_paths_that_stay_where_they_belong() {
        for (given, normal) in [
            (r#"{"default_cwd":""}"#, Some(r#"{"default_cwd":"."}"#)),
            (r#"{"default_cwd":"a/./b\\c"}"#, Some(r#"{"default_cwd":"a/b/c"}"#)),
            (r#"{"default_cwd":"a/../b"}"#, None),
            (r#"{"default_cwd":"/etc"}"#, None),
            (r#"{"default_cwd":"\\x"}"#, None),
            (r#"{"default_cwd":"C:x"}"#, None),
            (r#"{"default_cwd":"a\u0000"}"#, None),
            (
                r#"{"default_cwd":"/srv/../x","resource":" box-1 "}"#,
                Some(r#"{"default_cwd":"/srv/../x","resource":"box-1"}"#),
            ),
            (r#"{"default_cwd":"a\n","resource":"box"}"#, None),
            (r#"{"resource":"a..b"}"#, None),
            (r#"{"resource":" "}"#, None),
            (r#"{"default_shell":"bash"}"#, Some(r#"{"default_shell":"bash"}"#)),
            (r#"{"default_shell":"zsh"}"#, None),
            (r#"{"home":"x"}"#, None),
        ] {
            let checked = check(&ToolContext, &payload(given)).ok();
            assert_eq!(checked.as_ref().map(Payload::as_str), normal, "{given}");
        }
    }

    #[test]
    fn a_context_is_an_object_whatever_its_rule() {
        for bad in ["1", "null", "[]", "\"x\""] {
            let error = check(&AnyContext, &payload(bad)).unwrap_err();
            assert!(matches!(Problem::of(&error), Some(Problem::InvalidContext(_))), "{bad}");
        }
        assert!(check(&AnyContext, &payload(r#"{"any":[1]}"#)).is_ok());
        assert!(is_empty(&payload("{ }")) && !is_empty(&payload(r#"{"a":null}"#)));
    }
}
