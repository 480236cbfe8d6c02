//! libFuzzer entry of the target `markers_vs_naive`.
#![cfg_attr(fuzzing, no_main)]

toolweir_fuzz::entry!(markers_vs_naive);
