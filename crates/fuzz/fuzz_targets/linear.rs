//! libFuzzer entry of the target `linear`.
#![cfg_attr(fuzzing, no_main)]

toolweir_fuzz::entry!(linear);
