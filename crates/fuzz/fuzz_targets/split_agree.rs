//! libFuzzer entry of the target `split_agree`.
#![cfg_attr(fuzzing, no_main)]

toolweir_fuzz::entry!(split_agree);
