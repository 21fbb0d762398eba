//! What becomes of memory that is freed.

/// Has freed memory go back to the system, where the C library is glibc; elsewhere nothing.
///
/// Left alone, glibc keeps up to 64 MiB of what each thread has freed, once large blocks have come
/// and gone. A program that promises how much memory it takes calls this first.
pub fn give_back_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    glibc::give_back_freed_memory();
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod glibc {
    use std::ffi::c_int;

    // From `malloc.h`: numbers of the interface, the same on every architecture.
    const M_TRIM_THRESHOLD: c_int = -1;
    const M_MMAP_THRESHOLD: c_int = -3;

    // SAFETY: the signature is that of `malloc.h`. The function takes any numbers on any thread:
    // it locks the allocator and says by its result whether it has changed anything.
    unsafe extern "C" {
        safe fn mallopt(parameter: c_int, value: c_int) -> c_int;
    }

    /// Blocks of so many bytes are mapped one by one, and as many of smaller ones are kept. With
    /// 1 MiB, chunks of documents would be mapped anew each time, for a tenth of a job's time.
    const KEPT_BYTES: c_int = 8 << 20;

    pub(super) fn give_back_freed_memory() {
        mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
        mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_may_be_called_at_any_time() {
        let before = vec![1_u8; 3 << 20];
        super::give_back_freed_memory();
        super::give_back_freed_memory();
        let after = before.clone();
        drop(before);
        assert!(after.iter().all(|&byte| byte == 1));
    }
}
