//! libFuzzer entry of the target `decode_any`.
#![cfg_attr(fuzzing, no_main)]

toolweir_fuzz::entry!(decode_any);
