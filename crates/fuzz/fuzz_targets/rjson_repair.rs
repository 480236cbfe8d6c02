//! libFuzzer entry of the target `rjson_repair`.
#![cfg_attr(fuzzing, no_main)]

toolweir_fuzz::entry!(rjson_repair);
