//! Members of metadata, as they are given on the command line.

use std::collections::BTreeMap;

use sessile::Payload;

use crate::failure::Failure;

/// Reads `KEY=JSON` texts.
///
/// A key that is given twice is refused: one of its values would be lost.
pub(crate) fn read(
    texts: Vec<String>,
    flag: &'static str,
) -> Result<BTreeMap<String, Payload>, Failure> {
    let mut members = BTreeMap::new();
    for text in texts {
        let (key, value) =
            text.split_once('=').filter(|(key, _)| !key.is_empty()).ok_or_else(|| {
                Failure::usage(flag, "it is not KEY=JSON", "write it as in priority=2")
            })?;
        let value = Payload::parse(value.to_owned()).map_err(|error| {
            let clause = format!("the value of {key} is {}", error.clause());
            Failure::usage(flag, clause, format!("text needs quotes, as in '{key}=\"text\"'"))
        })?;
        if members.insert(key.to_owned(), value).is_some() {
            let clause = format!("{key} is given twice");
            return Err(Failure::usage(flag, clause, "give each key once"));
        }
    }
    Ok(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_any_json_and_may_hold_an_equals_sign() {
        let texts = ["a=1.0", "b=\"x=y\"", "c=null", "d= [1, 2] "];
        let members = read(texts.map(str::to_owned).to_vec(), "--meta").unwrap();
        let values: Vec<&str> = members.values().map(Payload::as_str).collect();
        assert_eq!(values, ["1.0", "\"x=y\"", "null", "[1, 2]"]);
    }

    #[test]
    fn what_is_no_member_is_refused_without_telling_its_value() {
        for texts in [&["a"][..], &["=1"], &["a=secret"], &["a="], &["a=1", "a=1"]] {
            let given = texts.iter().map(|text| (*text).to_owned()).collect();
            let Err(Failure::Usage(refused)) = read(given, "--meta") else {
                panic!("{texts:?} is taken")
            };
            assert!(!format!("{refused:?}").contains("secret"), "{refused:?}");
        }
    }
}
