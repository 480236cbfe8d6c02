//! libFuzzer entry of the target `coerce_any`.
#![cfg_attr(fuzzing, no_main)]

toolweir_fuzz::entry!(coerce_any);
