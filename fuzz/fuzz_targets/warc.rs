#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lookalike_fuzz::warc::check(bytes));
