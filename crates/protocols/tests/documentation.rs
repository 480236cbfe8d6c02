//! The example of `docs/adding-a-format.md` compiles, runs and is the one that is printed there.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "reads the documentation")]

#[path = "documentation/adding_a_format.rs"]
#[allow(clippy::expect_used, unreachable_pub, reason = "the page shows a user's own program")]
mod adding_a_format;

#[test]
fn the_page_shows_the_code_that_is_compiled() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let Ok(page) = std::fs::read_to_string(root.join("../../docs/adding-a-format.md")) else {
        eprintln!("skipped: the documentation is not part of the package");
        return;
    };
    let code =
        std::fs::read_to_string(root.join("tests/documentation/adding_a_format.rs")).unwrap();
    let (_, shown) = page.split_once("```rust\n").unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    assert_eq!(shown, code);
}

#[test]
fn the_example_gives_what_the_page_says() {
    let (text, call) = adding_a_format::example();
    assert_eq!(text, "Rolling.");
    assert_eq!(call, "dice {\"sides\": 6}");
}
