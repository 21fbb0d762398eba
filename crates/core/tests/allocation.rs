//! Once warm, signing allocates nothing.

#![expect(unsafe_code, reason = "an allocator that counts must be one")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use lookalike_core::recipe::PRESETS;
use lookalike_core::{Recipe, Signer};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator with the caller's own arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn a_warm_signer_allocates_nothing() {
    let words: Vec<String> =
        (0..5000).map(|i| format!("word{} \u{e9}t\u{e9}", i * i % 977)).collect();
    let texts: Vec<String> = (1..20).map(|n| words[..n * 250].join(" ")).collect();
    for name in PRESETS {
        let recipe = Recipe::preset(name).unwrap();
        let mut signer = Signer::new(&recipe).unwrap();
        for text in &texts {
            signer.sign(text.as_bytes());
        }
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        for text in &texts {
            signer.sign(text.as_bytes());
        }
        let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
        assert_eq!(allocations, 0, "{name}");
    }
}
