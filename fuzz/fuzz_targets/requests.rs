#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lookalike_fuzz::requests::check(bytes));
