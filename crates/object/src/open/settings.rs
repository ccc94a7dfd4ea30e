//! What the environment and a place say of how a cloud is asked.
//!
//! The environment is read as the cloud's own programs are told by it; what a place says stands
//! above it. Secrets come from the environment only, and no error repeats a value.

use std::str::FromStr;
use std::time::Duration;

use sessile_core::{Error, ErrorKind};

use super::url::{CREDENTIALS, Url};
use crate::options::Options;

/// The words of one cloud.
pub(super) struct Words<K> {
    /// The scheme of its places.
    pub(super) scheme: &'static str,
    /// What the names of its variables begin with.
    pub(super) variables: &'static str,
    /// Variables that count although they begin otherwise, and what they are read as.
    pub(super) others: &'static [(&'static str, &'static str)],
    /// The options that a place may have; other spellings of them that the client knows count too.
    pub(super) known: &'static [&'static str],
    /// Spellings that the client does not know.
    pub(super) spellings: &'static [(&'static str, &'static str)],
    /// Whether it is a secret.
    pub(super) is_secret: fn(&K) -> bool,
    /// Whether only this crate decides on it.
    pub(super) is_ours: fn(&K) -> bool,
}

/// What is said of one thing.
#[derive(Clone)]
struct Given<K> {
    /// As it is called where it stands.
    name: String,
    key: K,
    value: String,
}

/// All that is said: what comes later stands above what came before.
pub(super) struct Settings<K> {
    given: Vec<Given<K>>,
}

/// The options of every place, which are ours and not the client's.
const TIMEOUT: &str = "timeout";
const DEADLINE: &str = "deadline";
const UNQUOTED_TAGS: &str = "unquoted_tags";

/// Addressing by path; the client knows it by its opposite.
const PATH_STYLE: &str = "path_style";
const VIRTUAL_HOSTS: &str = "virtual_hosted_style_request";

impl<K: AsRef<str> + Clone + FromStr + PartialEq> Settings<K> {
    /// Gathers what is said, and takes what is ours into the options.
    ///
    /// # Errors
    /// *invalid place* naming an option that is none, stands twice, is a secret or has a value
    /// that can't be.
    pub(super) fn gather(
        words: &Words<K>,
        url: &Url,
        variables: &[(String, String)],
        options: &mut Options,
    ) -> Result<Self, Error> {
        let mut settings = Self { given: Vec::new() };
        let mut variables: Vec<_> = variables.iter().collect();
        // Where two spellings of one thing are set, it is always the same one that counts.
        variables.sort_unstable();
        for (name, value) in variables {
            settings.take_variable(words, name, value, options)?;
        }
        let mut seen: Vec<K> = Vec::new();
        for (name, value) in &url.parameters {
            if settings.take_ours(words, name, value, options)? {
                continue;
            }
            let key = words.key(name).ok_or_else(|| words.unknown(name))?;
            words.check(name, &key)?;
            if seen.contains(&key) {
                return Err(invalid(format!("the option `{name}` stands there twice"))
                    .with_hint("leave one of them"));
            }
            seen.push(key.clone());
            settings.given.push(Given { name: name.clone(), key, value: value.clone() });
        }
        Ok(settings)
    }

    fn take_variable(
        &mut self,
        words: &Words<K>,
        name: &str,
        value: &str,
        options: &mut Options,
    ) -> Result<(), Error> {
        let other = words.others.iter().find(|(other, _)| *other == name).map(|(_, key)| *key);
        let spelled = match other {
            Some(key) => key.to_owned(),
            None if name.starts_with(words.variables) => name.to_ascii_lowercase(),
            None => return Ok(()),
        };
        let Ok(key) = K::from_str(&spelled) else {
            return Ok(());
        };
        if key.as_ref() == TIMEOUT {
            options.request_timeout = duration(name, value)?;
        } else if !(words.is_ours)(&key) && key.as_ref() != "read_timeout" {
            self.given.push(Given { name: name.to_owned(), key, value: value.to_owned() });
        }
        Ok(())
    }

    /// Takes an option that the client does not have.
    fn take_ours(
        &mut self,
        words: &Words<K>,
        name: &str,
        value: &str,
        options: &mut Options,
    ) -> Result<bool, Error> {
        match name {
            TIMEOUT => options.request_timeout = duration(name, value)?,
            DEADLINE => options.deadline = duration(name, value)?,
            UNQUOTED_TAGS => options.unquoted_tags = flag(name, value)?,
            PATH_STYLE if words.known.contains(&PATH_STYLE) => {
                let key = K::from_str(VIRTUAL_HOSTS).map_err(|_| words.unknown(name))?;
                let value = (!flag(name, value)?).to_string();
                self.given.push(Given { name: name.to_owned(), key, value });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// What is said of a thing, with the name of what says it.
    pub(super) fn of(&self, key: &K) -> Option<(&str, &str)> {
        let said = self.given.iter().rev().find(|given| given.key == *key)?;
        Some((&said.name, &said.value))
    }

    /// Whether something is switched on.
    ///
    /// # Errors
    /// *invalid place* for a value that is neither on nor off.
    pub(super) fn is_on(&self, key: &K) -> Result<bool, Error> {
        self.of(key).map_or(Ok(false), |(name, value)| flag(name, value))
    }

    /// Checks that a place that names a proxy does not name credentials for it.
    ///
    /// # Errors
    /// *invalid place*.
    pub(super) fn check_proxy(&self, key: &K, url: &Url) -> Result<(), Error> {
        match self.of(key) {
            Some((name, address)) if url.says(name) => check_address(name, address, true),
            _ => Ok(()),
        }
    }

    /// Says something above all that is said of it so far.
    #[cfg(any(feature = "aws", feature = "azure"))]
    pub(super) fn say(&mut self, key: K, value: impl Into<String>) {
        let name = key.as_ref().to_owned();
        self.given.push(Given { name, key, value: value.into() });
    }

    /// Makes a client, or names what keeps it from being made.
    ///
    /// The client's own error is not kept: it may repeat a secret.
    ///
    /// # Errors
    /// *invalid place*.
    pub(super) fn build<B, C>(
        &self,
        words: &Words<K>,
        begin: impl Fn() -> B,
        with: impl Fn(B, K, String) -> B,
        build: impl Fn(B) -> object_store::Result<C>,
    ) -> Result<C, Error> {
        let attempt = |but: Option<&str>| {
            let given = self.given.iter().filter(|given| Some(&*given.name) != but);
            let said = given.map(|given| (given.key.clone(), given.value.clone()));
            build(said.fold(begin(), |builder, (key, value)| with(builder, key, value)))
        };
        attempt(None).map_err(|_| {
            let culprit = self.given.iter().rev().find(|given| attempt(Some(&given.name)).is_ok());
            match culprit {
                Some(given) => unfit(&given.name),
                None => invalid("what is set for it does not make up a client")
                    .with_hint(format!("look at the variables {}*", words.variables)),
            }
        })
    }
}

impl<K: AsRef<str> + FromStr + PartialEq> Words<K> {
    /// What an option's name means to the client.
    fn key(&self, name: &str) -> Option<K> {
        let spelling = self.spellings.iter().find(|(ours, _)| *ours == name);
        K::from_str(spelling.map_or(name, |(_, theirs)| theirs)).ok()
    }

    /// Checks that a place may say it.
    fn check(&self, name: &str, key: &K) -> Result<(), Error> {
        let variable = key.as_ref().to_ascii_uppercase();
        if (self.is_secret)(key) {
            let clause = format!("a place holds no credentials, and `{name}` is one");
            return Err(invalid(clause).with_hint(format!("set the variable {variable} instead")));
        }
        if (self.is_ours)(key) {
            return Err(self.unknown(name));
        }
        if !self.known.iter().any(|known| self.key(known).as_ref() == Some(key)) {
            let prefix = if variable.starts_with(self.variables) { "" } else { self.variables };
            return Err(invalid(format!("`{name}` can't be said in a place"))
                .with_hint(format!("set the variable {prefix}{variable}")));
        }
        Ok(())
    }

    fn unknown(&self, name: &str) -> Error {
        // What is not spelled as names are may be a secret.
        let is_name = name.len() <= 40
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || b"_-".contains(&byte));
        let scheme = self.scheme;
        let clause = if is_name {
            format!("`{name}` is no option of {scheme} places")
        } else {
            format!("there is an option that {scheme} places do not have")
        };
        let known = [self.known, &[TIMEOUT, DEADLINE, UNQUOTED_TAGS]].concat().join(", ");
        invalid(clause).with_hint(format!("known are {known}"))
    }
}

/// Checks the address of a server, which is asked without encryption only if that is allowed.
///
/// # Errors
/// *invalid place* naming what says it.
pub(super) fn check_address(name: &str, address: &str, http_allowed: bool) -> Result<(), Error> {
    let (scheme, rest) = address.split_once("://").unwrap_or_default();
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if !matches!(scheme, "http" | "https") || host.is_empty() {
        return Err(invalid(format!("`{name}` is no address of a server"))
            .with_hint("write https://host or https://host:port"));
    }
    if host.contains('@') {
        return Err(invalid(format!("`{name}` holds credentials")).with_hint(CREDENTIALS));
    }
    if scheme == "http" && !http_allowed {
        return Err(invalid(format!("`{name}` names a server that is asked without encryption"))
            .with_hint("write https://, or allow it with ?allow_http=true"));
    }
    Ok(())
}

/// Whether a value says yes.
fn flag(name: &str, value: &str) -> Result<bool, Error> {
    match &*value.to_ascii_lowercase() {
        "1" | "true" | "on" | "yes" | "y" => Ok(true),
        "0" | "false" | "off" | "no" | "n" => Ok(false),
        _ => Err(unfit(name).with_hint("write true or false")),
    }
}

/// A time of at least a millisecond and at most a day.
fn duration(name: &str, value: &str) -> Result<Duration, Error> {
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    let (count, unit) = value.split_at_checked(digits).unwrap_or_default();
    let millis = match unit.trim() {
        "ms" => Some(1),
        "s" | "" => Some(1000),
        "m" => Some(60_000),
        "h" => Some(3_600_000),
        _ => None,
    };
    let count: Option<u64> = count.parse().ok();
    let millis = count.zip(millis).and_then(|(count, millis)| count.checked_mul(millis));
    match millis {
        Some(millis @ 1..=86_400_000) => Ok(Duration::from_millis(millis)),
        _ => Err(unfit(name).with_hint("write a time as 500ms, 30s or 2m, up to 24h")),
    }
}

fn unfit(name: &str) -> Error {
    invalid(format!("`{name}` has a value that can't be")).with_hint("correct it, or leave it out")
}

fn invalid(clause: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::InvalidPlace, clause)
}
