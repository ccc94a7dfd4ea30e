use super::*;

/// What `source` imports when it is the text of module `a::b`, as `line path`.
fn imports(source: &str) -> Vec<String> {
    let file = syn::parse_file(source).unwrap();
    of(&["a".to_owned(), "b".to_owned()], &file.items)
        .iter()
        .map(|import| format!("{} {}", import.line, import.target.join("::")))
        .collect()
}

#[test]
fn each_anchor_is_made_absolute() {
    let source = "
        use crate::id::Id;
        use self::child::Leaf;
        use super::sibling;
        use super::super::top::Item;
    ";
    assert_eq!(imports(source), ["2 id::Id", "3 a::b::child::Leaf", "4 a::sibling", "5 top::Item"]);
}

#[test]
fn each_leaf_of_a_nested_group_counts_with_its_own_line() {
    let source = "
        use crate::{
            id::{self, Id as Name},
            time::*,
        };
        pub(crate) use {super::x, std::fmt};
    ";
    assert_eq!(imports(source), ["3 id", "3 id::Id", "4 time::*", "6 a::x"]);
}

#[test]
fn a_path_counts_wherever_code_may_hold_it() {
    let source = "
        impl crate::t::Trait for Mine {
            type Out = Vec<crate::t::Out>;
            fn run<T: super::Bound>(&self) -> super::Answer {
                use crate::inner::f;
                match f() { crate::e::Kind::One => <crate::q::Q as Default>::default() }
            }
        }
    ";
    let expected = ["2 t::Trait", "3 t::Out", "4 a::Bound", "4 a::Answer", "5 inner::f"];
    let found = imports(source);
    for import in expected.iter().chain(&["6 e::Kind::One", "6 q::Q"]) {
        assert!(found.iter().any(|it| it == import), "{import} is missing in {found:?}");
    }
    assert_eq!(found.len(), 7, "{found:?}");
}

#[test]
fn the_arguments_and_the_body_of_a_macro_are_read() {
    let source = "
        fn f() { assert_eq!(g(super::ONE), [crate::two::TWO]); }
        macro_rules! m {
            ($name:ident) => {
                use $crate::three::{Three, Drei};
                $crate::four::call(self.0, crate::$name::x)
            };
        }
    ";
    let expected = ["2 a::ONE", "2 two::TWO", "5 three::Three", "5 three::Drei", "6 four::call"];
    assert_eq!(imports(source), expected);
}

#[test]
fn a_path_in_an_attribute_counts_and_a_link_in_a_comment_does_not() {
    let source = "
        /// See [`crate::later::Thing`].
        #[derive(crate::d::Derived)]
        struct S(#[serde(with = \"crate::hex\", rename = \"self\")] u8);
    ";
    assert_eq!(imports(source), ["3 d::Derived", "4 hex"]);
}

#[test]
fn who_may_look_in_is_no_import() {
    assert_eq!(
        imports("pub(in crate::a) struct S { pub(super) x: u8, pub(crate) y: u8 }"),
        [""; 0]
    );
}

#[test]
fn other_crates_and_receivers_are_no_import() {
    let source = "
        use ::crate_like::x;
        use std::fmt;
        fn f(&self) { fmt::write(self); println!(\"{}\", self.x) }
    ";
    assert_eq!(imports(source), [""; 0]);
}

#[test]
fn code_for_tests_is_ignored() {
    let source = "
        #[cfg(test)] use super::a;
        #[cfg(all(test, unix))] fn f() { super::b(); }
        #[cfg(any(test))] const C: u8 = super::C;
        #[test] fn t() { super::d(); }
        #[tokio::test] async fn u() { super::e(); }
        impl S { #[cfg(test)] fn g() { super::f(); } }
    ";
    assert_eq!(imports(source), [""; 0]);
}

#[test]
fn code_for_tests_and_more_is_read() {
    let source = "
        #[cfg(any(test, unix))] use super::x;
        #[cfg(not(test))] use super::y;
        #[cfg(feature = \"test\")] use super::z;
        #[cfg(any(test, true))] use super::w;
    ";
    assert_eq!(imports(source), ["2 a::x", "3 a::y", "4 a::z", "5 a::w"]);
}

#[test]
fn a_module_inside_a_function_counts_as_its_surroundings() {
    let source = "fn f() { mod inner { use super::g; use super::super::h; } }";
    assert_eq!(imports(source), ["1 a::b::g", "1 a::h"]);
}

#[test]
fn a_raw_name_is_the_name() {
    assert_eq!(imports("use crate::r#type::X;"), ["1 type::X"]);
}
