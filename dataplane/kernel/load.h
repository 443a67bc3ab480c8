/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/*
 * Reads numbers from a packet at any address.  For a memcpy clang generates code for each byte (100
 * instructions for the addresses of IPv6), although BPF has a single instruction.  The kernel
 * allows that instruction on machines that load from any address (x86, arm64, ppc64, s390).
 */
#include "dataplane/kernel/compilers.h"
#include <linux/types.h>

#ifdef __bpf__
typedef __u16 __attribute__((may_alias)) dp_u16_anywhere;
typedef __u32 __attribute__((may_alias)) dp_u32_anywhere;
typedef __u64 __attribute__((may_alias)) dp_u64_anywhere;

DP_INLINE __u16 dp_load16(const __u8 *at)
{
	return *(const dp_u16_anywhere *)at;
}

DP_INLINE __u32 dp_load32(const __u8 *at)
{
	return *(const dp_u32_anywhere *)at;
}

DP_INLINE __u64 dp_load64(const __u8 *at)
{
	return *(const dp_u64_anywhere *)at;
}
#else
DP_INLINE __u16 dp_load16(const __u8 *at)
{
	__u16 value;

	__builtin_memcpy(&value, at, sizeof(value));
	return value;
}

DP_INLINE __u32 dp_load32(const __u8 *at)
{
	__u32 value;

	__builtin_memcpy(&value, at, sizeof(value));
	return value;
}

DP_INLINE __u64 dp_load64(const __u8 *at)
{
	__u64 value;

	__builtin_memcpy(&value, at, sizeof(value));
	return value;
}
#endif
