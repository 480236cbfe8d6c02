//! The example of a live view runs, and shows what it says.

#[path = "../../examples/preview.rs"]
#[allow(dead_code, unreachable_pub)]
mod example;

#[test]
fn a_file_is_seen_while_it_is_written() {
    let mut panels = Vec::new();
    example::play(|panel| panels.push(panel.to_owned()));
    assert_eq!(panels.first().map(String::as_str), Some("write_file …\n"));
    assert!(panels.contains(&"Writing: today.md\n│ # Today\n│ \n│ - oil the lo\n".to_owned()));
    let last = "Written: today.md\n│ \n│ - oil the loom\n│ - count the \"grey\" yarn\n│ - rest\n";
    assert_eq!(panels.last().map(String::as_str), Some(last));
    assert!(panels.len() > 5, "{panels:#?}");
}
