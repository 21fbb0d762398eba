//! SIMD kernels and their scalar twins.
