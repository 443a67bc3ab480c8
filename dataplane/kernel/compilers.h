/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/* One implementation, two compilers: the macros that differ between them. */

#ifdef __bpf__
#define DP_INLINE static __attribute__((always_inline)) inline
/* Verified once and called, instead of once for each way that leads to it. */
#define DP_FUNCTION __attribute__((noinline))
/* Hides from the compiler where a value comes from.  It would otherwise ask twice what the verifier
 * has to be told once. */
#define DP_OPAQUE(value) asm volatile("" : "+r"(value))
#else
#define DP_INLINE static inline
#define DP_FUNCTION static
#define DP_OPAQUE(value) ((void)(value))
#endif
