/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/* The bytes of a packet, and how to read them without going past their end. */
#include "dataplane/kernel/load.h"
#include "dataplane/kernel/machine.h"

#define DP_FOUND (-1) /* what readers return if there is no reason to skip the packet */

struct dp_frame {
	const __u8 *data, *end;
	__u32 captured; /* bytes that may be read; an inner length lowers it: the rest is padding */
	__u32 length;   /* bytes on the wire */
	__u32 partial;  /* the device left the rest of the packet elsewhere: it can be fetched */
};

/* The verifier wants to know how far a packet's pointer can be moved. */
#define DP_MOST_OFFSET 1024

/* `size` bytes at `offset`, or NULL. */
DP_INLINE const __u8 *dp_at(const struct dp_frame *frame, __u32 offset, __u32 size)
{
	const __u8 *at;

	if (offset > DP_MOST_OFFSET || offset + size > frame->captured)
		return 0;
	at = frame->data + offset;
	if (at + size > frame->end)
		return 0;
	DP_OPAQUE(at);
	return at;
}

/* Network order to numbers. */
DP_INLINE __u32 dp_be16(const __u8 *at)
{
	return __builtin_bswap16(dp_load16(at));
}

DP_INLINE __u32 dp_be32(const __u8 *at)
{
	return __builtin_bswap32(dp_load32(at));
}
