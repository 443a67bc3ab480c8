/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/*
 * Keyed hashing for both compilers.  BPF has no 128-bit product, so core/hash.h cannot be used.
 * This hash multiplies twice by secret odd numbers and shifts in between.  An attacker who lacks
 * these numbers cannot cause collisions on purpose.
 */
#include "dataplane/kernel/machine.h"

DP_INLINE __u64 dp_mix(__u64 word)
{
	const volatile struct dp_config *config = machine_config();

	word ^= word >> 32;
	word *= config->secret[0];
	word ^= word >> 29;
	word *= config->secret[1];
	return word ^ word >> 32;
}

/* Of two ends in order, so that both directions agree.  The protocol keeps apart what shares ports
 * by chance. */
DP_INLINE __u64 dp_flow_hash(__u64 low, __u64 high, __u64 protocol)
{
	const volatile struct dp_config *config = machine_config();
	const __u64 inner = dp_mix(low ^ config->secret[2]);

	return dp_mix((inner + high) ^ config->secret[3] ^ protocol << 48);
}

/* The key that a request and its response share.  `requester`: 0 the lower end, 1 the higher one.
 * The leg keeps apart the three spans of a handshake, which share their token. */
DP_INLINE __u64 dp_pair_key(__u64 flow, __u64 token, __u32 kind, __u32 requester, __u32 leg)
{
	const __u64 salt = (kind << 4 | leg << 1 | requester) + 1;

	return dp_mix((flow + token) ^ salt << 56);
}

/* Fresh bits for the coin, the home and the shard.  Not a random draw: a repeated request must get
 * the same decision as its first copy. */
DP_INLINE __u64 dp_coins(__u64 key)
{
	return dp_mix(key ^ machine_config()->secret[3]);
}
