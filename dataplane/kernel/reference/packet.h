/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/* From a frame to what both programs need to know of it. */
#include "dataplane/kernel/ip.h"
#include "dataplane/kernel/reference/reference_abi.h"

/* Where a UDP datagram's payload begins that is a reference packet, or 0. */
DP_INLINE __u32 rp_reference_at(const struct dp_frame *frame, const struct dp_summary *s)
{
	const __u8 *at;

	if (s->protocol != DP_IP_UDP || s->rest < 8 + RP_PAYLOAD)
		return 0;
	at = dp_at(frame, s->offset, 8 + RP_PAYLOAD);
	if (!at || dp_be16(at + 2) != RP_PORT || dp_be32(at + 8) != RP_MAGIC ||
	    at[12] != RP_VERSION)
		return 0;
	return s->offset + 8;
}

/* Link and IP headers; DP_FOUND or why not. */
DP_INLINE int rp_parse(dp_context *context, struct dp_frame *frame, struct dp_summary *s)
{
	int reason;

	machine_frame(context, frame);
	reason = dp_read_link(context, frame, s);
	if (reason != DP_FOUND)
		return reason;
	reason = s->type == DP_ETH_IPV4 ? dp_read_ipv4(frame, s) : dp_read_ipv6(context, frame, s);
	frame->captured = s->captured;
	return reason;
}
