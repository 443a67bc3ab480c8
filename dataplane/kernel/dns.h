/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/* DNS over UDP: what a query and its response share (wire/headers/dns.h). */
#include "dataplane/kernel/frame.h"
#include "dataplane/kernel/hash.h"

#define DP_DNS_HEADER 12
#define DP_LONGEST_NAME 255
#define DP_MOST_LABELS 64 /* a name of more is taken for none: 127 would be allowed */

/* Lower case of eight characters at once (RFC 4343); senders mix cases at random ("0x20"). */
DP_INLINE __u64 dp_fold_case(__u64 word)
{
	const __u64 ones = 0x0101010101010101ull, tops = 0x80 * ones;
	const __u64 low = word & ~tops;
	const __u64 from_a = low + (0x80 - 'A') * ones, beyond_z = low + (0x7f - 'Z') * ones;
	const __u64 upper = (from_a ^ beyond_z) & ~word & tops;

	return word | upper >> 2;
}

/* Length of the uncompressed name at `begin`, its final zero included; 0 if it is not all there. */
DP_FUNCTION int dp_name_length(dp_context *context, __u32 begin, __u32 captured)
{
	struct dp_frame frame;
	__u32 length = 0;
	int labels;

	machine_frame(context, &frame);
	if (frame.captured > captured)
		frame.captured = captured;
	for (labels = 0; labels < DP_MOST_LABELS; labels++) {
		const __u8 *at = dp_at(&frame, begin + length, 1);

		if (!at || length >= DP_LONGEST_NAME || at[0] > 63)
			return 0;
		length += at[0] + 1;
		if (!at[0])
			return (int)length;
	}
	return 0;
}

/* Hash of opcode, name, type and class; 0 if they are not all there. */
DP_INLINE __u64 dp_hash_question(dp_context *context, const struct dp_frame *frame, __u32 begin,
				 __u32 opcode)
{
	const __u32 name = (__u32)dp_name_length(context, begin, frame->captured);
	const __u8 *at;
	__u64 state = opcode;
	__u32 done;

	if (!name || !dp_at(frame, begin + name, 4))
		return 0;
	/* Whole words while they lie within name, type and class; the last one overlaps. */
	for (done = 0; done + 8 <= DP_LONGEST_NAME + 4; done += 8) {
		if (done + 8 > name + 4)
			break;
		at = dp_at(frame, begin + done, 8);
		if (!at)
			return 0;
		/* Type and class are folded too: no two types that are used differ in that bit. */
		state = dp_mix(state + dp_fold_case(dp_load64(at)));
	}
	/* What is left, at most seven bytes, read from the end.  In front of a name of one or three
	 * bytes lie counts that the response changes, so those are read from their beginning. */
	if (name >= 4) {
		at = dp_at(frame, begin + name - 4, 8);
		if (!at)
			return 0;
		state += dp_fold_case(dp_load64(at));
	} else {
		at = dp_at(frame, begin, 5);
		if (!at)
			return 0;
		state += dp_fold_case((__u64)dp_load32(at) << 8 | at[4]) + ((__u64)name << 56);
	}
	return dp_mix(state) | 1;
}

/* Sets the token and whether it is a response. */
DP_INLINE int dp_read_dns(dp_context *context, const struct dp_frame *frame, __u32 offset,
			  __u32 length, __u64 *token, __u32 *response)
{
	const __u8 *at = dp_at(frame, offset, DP_DNS_HEADER);
	__u32 opcode;
	__u64 question = 0;

	if (!at)
		return length >= DP_DNS_HEADER ? DP_TRUNCATED_TRANSPORT : DP_NOT_PAIRED;
	opcode = at[2] >> 3 & 15;
	if (opcode == 3 || opcode > 6)
		return DP_NOT_PAIRED;
	*response = at[2] >> 7;
	*token = dp_be16(at);
	if (dp_be16(at + 4)) {
		question = dp_hash_question(context, frame, offset + DP_DNS_HEADER, opcode);
		if (!question && frame->partial)
			return DP_TRUNCATED_TRANSPORT;
	}
	*token |= question << 16;
	return DP_FOUND;
}
