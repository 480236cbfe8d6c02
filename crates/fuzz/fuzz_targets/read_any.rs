//! libFuzzer entry of the target `read_any`.
#![cfg_attr(fuzzing, no_main)]

toolweir_fuzz::entry!(read_any);
