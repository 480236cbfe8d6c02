use super::{paths, re_exports};

/// What `engine/lookahead/resolve.rs` imports by this text.
fn read(text: &str) -> Vec<String> {
    paths(&["engine", "lookahead", "resolve"], text).iter().map(|path| path.join("::")).collect()
}

#[test]
fn paths_count_in_uses_and_in_code() {
    assert_eq!(read("use crate::readers::json;"), ["readers::json"]);
    assert_eq!(read("    let reader = crate::readers::make(payload);"), ["readers::make"]);
    assert_eq!(read("pub(crate) use crate::limits::Limits as Bounds;"), ["limits::Limits::Bounds"]);
    assert_eq!(read("fn f<T: crate::Decoder>(limits: &crate::Limits)"), ["Decoder", "Limits"]);
    assert_eq!(read("macro_rules! m { () => { $crate::policy::pick() } }"), ["policy::pick"]);
    assert_eq!(read("use crate::policy::*;"), ["policy::*"]);
    assert_eq!(read("let n = crate::limits::LIMIT::<u8>;"), ["limits::LIMIT"]);
}

#[test]
fn each_member_of_a_group_is_a_path() {
    assert_eq!(read("use crate::{limits::Limits, readers};"), ["limits::Limits", "readers"]);
    assert_eq!(
        read(
            "use crate::{\n    limits::{self, Limits},\n    readers::{json::{Mode, read}, make as m},\n};"
        ),
        [
            "limits::self",
            "limits::Limits",
            "readers::json::Mode",
            "readers::json::read",
            "readers::make::m"
        ]
    );
    assert_eq!(
        read("use super::{super::{Engine, out::Out}, tag}; fn f() {}"),
        ["engine::Engine", "engine::out::Out", "engine::lookahead::tag"]
    );
}

#[test]
fn super_climbs_from_the_module_of_the_file() {
    assert_eq!(read("use super::Gate;"), ["engine::lookahead::Gate"]);
    assert_eq!(read("use super::super::out::Out;"), ["engine::out::Out"]);
    assert_eq!(read("use super::super::super::readers::make;"), ["readers::make"]);
    assert_eq!(read("use self::super::Gate;"), ["engine::lookahead::Gate"]);
    assert_eq!(
        read("mod keys { use super::Key; } use super::Gate;"),
        ["engine::lookahead::resolve::Key", "engine::lookahead::Gate",]
    );
}

#[test]
fn visibilities_comments_strings_and_tests_are_no_imports() {
    for text in [
        "pub(crate) fn f() {} pub(super) use x::y; pub(in crate::engine) struct S;",
        "/// See [`crate::readers`].\n// use crate::readers;",
        "/* use crate::a; /* crate::b */ crate::c */ fn f() {}",
        "let text = \"use crate::readers; \\\" crate::x\";",
        "let text = r#\"use crate::readers; \" crate::x\"#; let byte = br\"crate::x\";",
        "let quote = '\"'; let other = '\\''; // crate::x \"",
        "self.readers.len(); readers::make(); my_crate::x(); other::supers::y()",
        "#[cfg(test)]\nmod tests {\n    use crate::readers;\n    fn f() { g(\"}\") }\n}",
        "#[cfg(test)]\nuse crate::readers;",
        "#[cfg(all(test, feature = \"yaml\"))]\nfn f() { crate::readers::make(); }",
    ] {
        let found: Vec<String> =
            read(text).into_iter().filter(|path| !path.starts_with("engine")).collect();
        assert!(found.is_empty(), "{text}: {found:?}");
    }
    assert_eq!(read("fn f<'a>(x: &'a str) -> crate::Tool<'a>"), ["Tool"]);
    assert_eq!(read("#[cfg(test)]\nmod tests;\n\nuse crate::tools;"), ["tools"]);
}

#[test]
fn re_exports_have_their_modules() {
    let root = "mod a;\npub use a::{One, b::{Two as Second}};\npub(crate) use self::c::Three;\n\
                pub use crate::d::Four;\n// pub use e::Five;\n#[cfg(test)]\nuse f::Six;";
    let pair = |name: &str, module: &str| (name.to_owned(), module.to_owned());
    assert_eq!(
        re_exports(root),
        [pair("One", "a"), pair("Second", "a"), pair("Three", "c"), pair("Four", "d")]
    );
}
