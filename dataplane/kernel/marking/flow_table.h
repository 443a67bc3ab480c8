/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/*
 * Flows by 64 keyed bits of what they are told by, four to a cache line.  The process fills the
 * table, the program looks up: nobody compares 48 bytes, and a packet meets a stranger's entry
 * about as often as 64 random bits are equal.
 */
#include "dataplane/kernel/compilers.h"
#include "dataplane/kernel/marking/abi.h"

DP_INLINE __u64 mk_mix(__u64 hash, __u64 word, const volatile __u64 *secret)
{
	/* Twice: after one multiplication the top bits of two words differ in ways that the secret
	 * does not touch, and the next words could undo it. */
	hash = (hash ^ word) * secret[0];
	hash = (hash ^ hash >> 32) * secret[1];
	return hash ^ hash >> 29;
}

/* Of masked bits; never 0, which is an empty entry. */
DP_INLINE __u64 mk_tag(const struct mk_key *key, __u32 is_ipv6, const volatile __u64 *secret)
{
	__u64 hash = mk_mix(secret[2], key->bits.addresses[0], secret);

	if (is_ipv6) {
		hash = mk_mix(hash, key->bits.addresses[1], secret);
		hash = mk_mix(hash, key->bits.addresses[2], secret);
		hash = mk_mix(hash, key->bits.addresses[3], secret);
	}
	hash = mk_mix(hash, key->bits.rest, secret);
	hash = (hash ^ key->shape ^ secret[3]) * secret[1];
	hash ^= hash >> 29;
	hash *= secret[0];
	hash ^= hash >> 32;
	return hash ? hash : 1;
}
