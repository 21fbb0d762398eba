#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lookalike_fuzz::index::check(bytes));
