/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/* A packet's label in words: BOB over the bytes that no router changes (oneway/label.h). */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "dataplane/kernel/bob.h"
#include "dataplane/kernel/load.h"
#include "dataplane/kernel/select_abi.h"

enum { IP_TCP = 6, IP_UDP = 17 };

/* Least significant byte first on any machine, as BOB reads. */
DP_INLINE __u32 word_at(const void *at)
{
	__u32 word = dp_load32(at);

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap32(word);
#endif
	return word;
}

DP_INLINE __u32 be16_at(const __u8 *at)
{
	return (__u32)at[0] << 8 | at[1];
}

/* RFC 5475 section 6.2.3: identification, flags without the reserved one, offset, addresses. */
DP_INLINE void hash_ipv4(struct dp_bob *h, const __u8 *ip)
{
	dp_bob_block(h, word_at(ip + 4) & 0xff7fffff, word_at(ip + 12), word_at(ip + 16));
}

/* Length behind the extension headers, and bytes 10, 11, 14, 15, 16 of source and destination. */
DP_INLINE void hash_ipv6(struct dp_bob *h, const __u8 *ip, __u32 length)
{
	const __u8 *s = ip + 8, *d = ip + 24;

	dp_bob_block(h, (length >> 8 & 255) | (length & 255) << 8 | s[9] << 16 | (__u32)s[10] << 24,
		     s[13] | s[14] << 8 | s[15] << 16 | (__u32)d[9] << 24,
		     d[10] | d[13] << 8 | d[14] << 16 | (__u32)d[15] << 24);
}

/* The payload's words, `size` bytes and zeros behind them, without the transport's checksum. */
DP_INLINE __u32 hash_payload(struct dp_bob *h, const __u8 *at, __u32 size, __u32 protocol)
{
	const __u32 no_udp_checksum = protocol == IP_UDP ? 0xffff : 0xffffffff;
	const __u32 no_tcp_checksum = protocol == IP_TCP ? 0xffff0000 : 0xffffffff;
	const __u32 length = 12 + size;
	const __u32 second = word_at(at + 4) & no_udp_checksum;
	__u32 fifth;

	if (size < 12)
		return dp_bob_end(h, word_at(at), second, word_at(at + 8), length);
	dp_bob_block(h, word_at(at), second, word_at(at + 8));
	fifth = word_at(at + 16) & no_tcp_checksum;
	if (size < 24)
		return dp_bob_end(h, word_at(at + 12), fifth, word_at(at + 20), length);
	dp_bob_block(h, word_at(at + 12), fifth, word_at(at + 20));
	if (size < 36)
		return dp_bob_end(h, word_at(at + 24), word_at(at + 28), word_at(at + 32), length);
	dp_bob_block(h, word_at(at + 24), word_at(at + 28), word_at(at + 32));
	return dp_bob_end(h, word_at(at + 36), 0, 0, length);
}

/* A packet with less than the label covers, or one that lies in pieces. */
DP_FUNCTION int label_of_copy(struct __sk_buff *skb, struct dp_bob *h, __u32 offset, __u32 size,
			      __u32 protocol)
{
	__u8 copy[64] = {0};

	if (!h)
		return 0;
	/* Callers have made sure of no more than the label covers; the verifier has to see it. */
	if (size)
		bpf_skb_load_bytes(skb, offset, copy, ((size - 1) & (sizeof(copy) - 1)) + 1);
	return (int)hash_payload(h, copy, size, protocol);
}
