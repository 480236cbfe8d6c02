//! libFuzzer entry of the target `spec_any`.
#![cfg_attr(fuzzing, no_main)]

toolweir_fuzz::entry!(spec_any);
