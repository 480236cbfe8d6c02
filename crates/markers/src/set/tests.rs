use super::*;
use std::format;
use std::string::ToString;

fn set(markers: &[&str]) -> MarkerSet {
    MarkerSet::new(markers).unwrap()
}

#[test]
fn an_empty_list_is_a_set_that_matches_nothing() {
    let set = MarkerSet::new::<[&str; 0]>([]).unwrap();
    assert!(set.is_empty());
    assert_eq!((set.len(), set.longest()), (0, 0));
    assert_eq!(set.match_at(""), Anchored::None);
    assert_eq!(set.match_at("a"), Anchored::None);
}

#[test]
fn markers_are_found_again_by_id_in_list_order() {
    let set = set(&["b", "a", "ab", "｜"]);
    assert_eq!((set.len(), set.longest()), (4, 3));
    for (index, marker) in ["b", "a", "ab", "｜"].into_iter().enumerate() {
        let Anchored::Marker { id, len, .. } = set.match_at(marker) else { panic!("{marker}") };
        assert_eq!((id.index(), len, set.marker(id)), (index, marker.len(), marker));
    }
    assert!(MarkerId(0) < MarkerId(1));
}

#[test]
fn an_id_of_another_set_has_no_text() {
    assert_eq!(set(&["a"]).marker(MarkerId(7)), "");
}

#[test]
fn empty_and_repeated_markers_are_refused_with_their_places() {
    let error = MarkerSet::new(["a", "b", ""]).unwrap_err();
    assert_eq!(error, SetError::Empty { index: 2 });
    assert_eq!(error.to_string(), "marker 2 is empty");
    let error = MarkerSet::new(["ab", "a", "ab"]).unwrap_err();
    assert_eq!(error, SetError::Duplicate { index: 2, first: 0 });
    assert_eq!(error.to_string(), "marker 2 repeats marker 0");
}

#[test]
fn a_set_is_limited_by_its_distinct_beginnings() {
    let (most, more) = ("x".repeat(65_534), "x".repeat(65_535));
    assert_eq!(set(&[&most]).longest(), 65_534);
    assert_eq!(MarkerSet::new([&more]).unwrap_err(), SetError::TooLarge);
    let spread: std::vec::Vec<_> = (0..30_000).map(|n| format!("{n:05}")).collect();
    assert_eq!(MarkerSet::new(&spread).unwrap().len(), 30_000);
    let spread: std::vec::Vec<_> = (0..70_000).map(|n| format!("{n:05}")).collect();
    assert_eq!(MarkerSet::new(&spread).unwrap_err(), SetError::TooLarge);
}

#[test]
fn markers_inside_long_markers_are_listed_in_linear_room() {
    let lines = "a line\n".repeat(2_000);
    let (one, two) = (format!("{lines}x"), format!("{lines}y{lines}"));
    let set = set(&["\n", &one, &two, "ne\na line"]);
    assert_eq!(set.match_at(&two[..100]), Anchored::Prefix);
}

#[test]
fn markers_that_hold_one_another_too_often_are_refused() {
    // Each of the branches has a list of its own, as long as its stem.
    let stem = format!("x{}", "ab".repeat(1_500));
    let mut markers = std::vec!["b".to_string()];
    markers.extend((0..1_500).map(|n| format!("{}b!", &stem[..1 + 2 * n])));
    assert_eq!(MarkerSet::new(&markers[..200]).unwrap().len(), 200);
    assert_eq!(MarkerSet::new(&markers).unwrap_err(), SetError::TooLarge);
}

#[test]
fn match_at_takes_the_longest_marker_that_stands() {
    let set = set(&["name", "name:", "nam"]);
    let at = |text| match set.match_at(text) {
        Anchored::Marker { id, len, may_grow } => Some((id.index(), len, may_grow)),
        other => {
            assert!(matches!(other, Anchored::None));
            None
        }
    };
    assert_eq!(at("nam"), Some((2, 3, true)));
    assert_eq!(at("name"), Some((0, 4, true)));
    assert_eq!(at("name "), Some((0, 4, false)));
    assert_eq!(at("name:"), Some((1, 5, false)));
    assert_eq!(at("name:x"), Some((1, 5, false)));
    assert_eq!(at("nax"), None);
    assert_eq!(at(" name"), None);
}

#[test]
fn match_at_falls_back_to_a_covered_marker() {
    let set = set(&["ab", "abcd"]);
    let covered = |may_grow| Anchored::Marker { id: MarkerId(0), len: 2, may_grow };
    assert_eq!(set.match_at("abc"), covered(true));
    assert_eq!(set.match_at("abcx"), covered(false));
}

#[test]
fn match_at_knows_proper_prefixes_and_half_equal_characters() {
    let set = set(&["<｜a"]);
    assert_eq!(set.match_at(""), Anchored::Prefix);
    assert_eq!(set.match_at("<"), Anchored::Prefix);
    assert_eq!(set.match_at("<｜"), Anchored::Prefix);
    assert_eq!(set.match_at("<｝"), Anchored::None);
}

#[test]
fn debug_shows_the_markers() {
    assert_eq!(format!("{:?}", set(&["<a>", "b"])), r#"MarkerSet(["<a>", "b"])"#);
}
