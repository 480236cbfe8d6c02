//! libFuzzer entry of the target `rjson_vs_serde`.
#![cfg_attr(fuzzing, no_main)]

toolweir_fuzz::entry!(rjson_vs_serde);
