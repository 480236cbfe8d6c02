//! libFuzzer entry of the target `roundtrip`.
#![cfg_attr(fuzzing, no_main)]

toolweir_fuzz::entry!(roundtrip);
