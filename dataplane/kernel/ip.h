/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/* IPv4 with options, IPv6 with extension headers, first fragments. */
#include "dataplane/kernel/frame.h"
#include "dataplane/kernel/link.h"
#include "dataplane/kernel/summary.h"

enum {
	DP_IP_HOP_BY_HOP = 0,
	DP_IP_ICMP = 1,
	DP_IP_TCP = 6,
	DP_IP_UDP = 17,
	DP_IP_ROUTING = 43,
	DP_IP_FRAGMENT = 44,
	DP_IP_ESP = 50,
	DP_IP_ICMPV6 = 58,
	DP_IP_NO_NEXT = 59,
	DP_IP_DESTINATION = 60,
	DP_IP_COMPRESSION = 108,
	DP_IP_MOBILITY = 135,
};

/* An inner length speaks: what lies behind is padding. */
DP_INLINE void dp_end_at(struct dp_frame *frame, struct dp_summary *s, __u32 end)
{
	if (frame->captured > end)
		s->captured = frame->captured = end;
}

DP_INLINE int dp_read_ipv4(struct dp_frame *frame, struct dp_summary *s)
{
	const __u32 offset = s->offset;
	const __u8 *at = dp_at(frame, offset, 20);
	__u32 header, total, fragment;

	if (!at)
		return DP_TRUNCATED_IP;
	if (at[0] >> 4 != 4)
		return DP_BAD_IP_VERSION;
	header = (at[0] & 15) * 4;
	if (header < 20)
		return DP_BAD_IP_LENGTH;
	/* Segmentation offload leaves 0: then it is as long as the frame says.  A length beyond the
	 * frame is believed: both ends count by this field. */
	total = dp_be16(at + 2);
	if (!total)
		total = frame->length - offset;
	if (total < header)
		return DP_BAD_IP_LENGTH;
	fragment = dp_be16(at + 6);
	if (fragment & 0x1fff)
		return DP_FRAGMENT;
	s->first_fragment = (fragment & 0x2000) != 0;
	s->is_ipv6 = 0;
	s->source[0] = dp_load32(at + 12);
	s->destination[0] = dp_load32(at + 16);
	s->source[1] = s->destination[1] = 0;
	s->protocol = at[9];
	s->ip_length = total;
	s->rest = total - header;
	s->offset = offset + header;
	dp_end_at(frame, s, offset + total);
	return frame->captured < s->offset ? DP_TRUNCATED_IP : DP_FOUND;
}

DP_INLINE int dp_is_extension(__u32 protocol)
{
	return protocol == DP_IP_HOP_BY_HOP || protocol == DP_IP_ROUTING ||
	       protocol == DP_IP_DESTINATION || protocol == DP_IP_MOBILITY ||
	       protocol == DP_IP_FRAGMENT || protocol == DP_IP_NO_NEXT;
}

DP_FUNCTION int dp_read_extensions(dp_context *context, struct dp_summary *s)
{
	struct dp_frame frame;
	__u32 protocol, offset, length;
	int headers;

	if (!s)
		return DP_TRUNCATED_IP;
	machine_frame(context, &frame);
	frame.captured = s->captured;
	protocol = s->protocol;
	offset = s->offset;
	for (headers = 0; headers < 6; headers++) {
		const __u8 *at;

		if (!dp_is_extension(protocol)) {
			s->protocol = (__u16)protocol;
			s->rest -= offset - s->offset;
			s->offset = offset;
			return DP_FOUND;
		}
		if (protocol == DP_IP_NO_NEXT)
			return DP_NOT_PAIRED;
		at = dp_at(&frame, offset, 8);
		if (!at)
			return DP_TRUNCATED_IP;
		length = 8;
		if (protocol == DP_IP_FRAGMENT) {
			if (dp_be16(at + 2) & 0xfff8)
				return DP_FRAGMENT;
			/* RFC 6946: offset 0 and nothing to follow is a whole packet. */
			s->first_fragment |= at[3] & 1;
		} else {
			length = (at[1] + 1) * 8;
		}
		if (offset + length > frame.captured)
			return DP_TRUNCATED_IP;
		protocol = at[0];
		offset += length;
	}
	return DP_TOO_DEEP;
}

DP_INLINE int dp_read_ipv6(dp_context *context, struct dp_frame *frame, struct dp_summary *s)
{
	const __u32 offset = s->offset;
	const __u8 *at = dp_at(frame, offset, 40);
	__u32 total;

	if (!at)
		return DP_TRUNCATED_IP;
	if (at[0] >> 4 != 6)
		return DP_BAD_IP_VERSION;
	total = dp_be16(at + 4);
	total = total ? total + 40 : frame->length - offset;
	s->is_ipv6 = 1;
	s->first_fragment = 0;
	s->source[0] = dp_load64(at + 8);
	s->source[1] = dp_load64(at + 16);
	s->destination[0] = dp_load64(at + 24);
	s->destination[1] = dp_load64(at + 32);
	s->protocol = at[6];
	s->ip_length = total;
	s->rest = total - 40;
	s->offset = offset + 40;
	dp_end_at(frame, s, offset + total);
	return dp_is_extension(s->protocol) ? dp_read_extensions(context, s) : DP_FOUND;
}

DP_INLINE int dp_reason_of_protocol(__u32 protocol)
{
	if (protocol == DP_IP_ESP)
		return DP_ENCRYPTED;
	return protocol == DP_IP_COMPRESSION ? DP_COMPRESSED : DP_UNKNOWN_PROTOCOL;
}
