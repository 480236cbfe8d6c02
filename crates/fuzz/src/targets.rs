//! One file a target.

pub mod coerce_any;
pub mod decode_any;
pub mod linear;
pub mod markers_vs_naive;
pub mod pattern_roundtrip;
pub mod read_any;
pub mod rjson_repair;
pub mod rjson_vs_serde;
pub mod roundtrip;
pub mod rxml_any;
pub mod spec_any;
pub mod split_agree;
