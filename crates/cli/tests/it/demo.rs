//! `toolweir demo`.

use crate::run;

#[test]
fn it_works_without_configuration_and_every_split_agrees() {
    let demo = run(&["demo"], "");
    assert_eq!((demo.code, demo.stderr.as_str()), (0, ""));
    assert_eq!(demo.stdout.lines().last(), Some("64 random splits: identical"));
}

#[test]
fn it_shows_calls_that_run_and_one_that_does_not() {
    let demo = run(&["demo", "--fast"], "").stdout;
    for expected in [
        "Two people, one night",
        "> get_weather {\"place\": \"Ravenglass\"",
        "  complete: runs",
        "  repaired: runs",
        "  truncated: never run",
        "calls run: 4 (1 repaired), calls refused: 1 (cut off)",
    ] {
        assert!(demo.contains(expected), "{expected}\n{demo}");
    }
}

#[test]
fn every_byte_of_the_recording_is_accounted_for() {
    let demo = run(&["demo"], "").stdout;
    let line = demo.lines().find_map(|line| line.strip_prefix("bytes accounted for: ")).unwrap();
    let (accounted, whole) = line.split_once(" of ").unwrap();
    assert_eq!(accounted, whole);
    assert!(whole.parse::<u32>().unwrap() > 900);
}

#[test]
fn a_pipe_gets_no_colours() {
    assert!(!run(&["demo"], "").stdout.contains('\u{1b}'));
}
