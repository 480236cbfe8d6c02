//! libFuzzer entry of the target `rxml_any`.
#![cfg_attr(fuzzing, no_main)]

toolweir_fuzz::entry!(rxml_any);
