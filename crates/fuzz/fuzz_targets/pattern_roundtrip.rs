//! libFuzzer entry of the target `pattern_roundtrip`.
#![cfg_attr(fuzzing, no_main)]

toolweir_fuzz::entry!(pattern_roundtrip);
