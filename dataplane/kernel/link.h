/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/* From the first byte to the IP header: Ethernet, up to two VLAN tags, PPPoE, MPLS. */
#include "dataplane/kernel/frame.h"
#include "dataplane/kernel/summary.h"

enum {
	DP_ETH_IPV4 = 0x0800,
	DP_ETH_ARP = 0x0806,
	DP_ETH_RARP = 0x8035,
	DP_ETH_VLAN = 0x8100,
	DP_ETH_IPV6 = 0x86dd,
	DP_ETH_SLOW = 0x8809,
	DP_ETH_MPLS = 0x8847,
	DP_ETH_MPLS_MULTICAST = 0x8848,
	DP_ETH_PPPOE_DISCOVERY = 0x8863,
	DP_ETH_PPPOE = 0x8864,
	DP_ETH_EAPOL = 0x888e,
	DP_ETH_PROVIDER_VLAN = 0x88a8,
	DP_ETH_LLDP = 0x88cc,
	DP_ETH_MACSEC = 0x88e5,
	DP_ETH_PTP = 0x88f7,
	DP_ETH_LOOPBACK = 0x9000,
	DP_ETH_OLD_VLAN = 0x9100,
	DP_ETH_OLD_VLAN2 = 0x9200,
	DP_ETH_FIRST_TYPE = 0x0600, /* below, the field is a length: IEEE 802.3 */
};

DP_INLINE int dp_is_vlan(__u32 type)
{
	return type == DP_ETH_VLAN || type == DP_ETH_PROVIDER_VLAN || type == DP_ETH_OLD_VLAN ||
	       type == DP_ETH_OLD_VLAN2;
}

DP_INLINE int dp_reason_of_type(__u32 type)
{
	switch (type) {
	case DP_ETH_ARP:
	case DP_ETH_RARP:
	case DP_ETH_SLOW:
	case DP_ETH_PPPOE_DISCOVERY:
	case DP_ETH_EAPOL:
	case DP_ETH_LLDP:
	case DP_ETH_PTP:
	case DP_ETH_LOOPBACK:
		return DP_NOT_IP;
	case DP_ETH_MACSEC:
		return DP_ENCRYPTED;
	}
	if (dp_is_vlan(type))
		return DP_TOO_DEEP; /* a third tag */
	return type < DP_ETH_FIRST_TYPE ? DP_NOT_IP : DP_UNKNOWN_ETHERTYPE;
}

/* RFC 2516, RFC 1661: six bytes, then a protocol of one or two bytes. */
DP_INLINE int dp_read_pppoe(const struct dp_frame *frame, __u32 *offset, __u32 *type)
{
	const __u8 *at = dp_at(frame, *offset, 8);
	__u32 protocol;

	if (!at)
		return DP_TRUNCATED_LINK;
	if (at[1] != 0)
		return DP_NOT_IP;
	protocol = at[6];
	*offset += 7;
	if (!(protocol & 1)) {
		protocol = protocol << 8 | at[7];
		*offset += 1;
	}
	if (protocol == 0x21)
		*type = DP_ETH_IPV4;
	else if (protocol == 0x57)
		*type = DP_ETH_IPV6;
	else if (protocol == 0x2d || protocol == 0x2f || protocol == 0xfb || protocol == 0xfd)
		return DP_COMPRESSED;
	else
		return protocol >= 0x8000 ? DP_NOT_IP : DP_UNKNOWN_ETHERTYPE;
	return DP_FOUND;
}

/* RFC 3032: labels, then IP, told by its version (RFC 4928).  Pseudowires are not followed. */
DP_INLINE int dp_read_mpls(const struct dp_frame *frame, __u32 *offset, __u32 *type)
{
	const __u8 *at;
	__u32 entry = 0;
	int labels;

	for (labels = 0; labels < 4; labels++) {
		at = dp_at(frame, *offset, 5);
		if (!at)
			return DP_TRUNCATED_LINK;
		entry = dp_be32(at);
		*offset += 4;
		if (entry & 0x100) {
			if (at[4] >> 4 == 6)
				*type = DP_ETH_IPV6;
			else if (at[4] >> 4 == 4 && (at[4] & 15) >= 5)
				*type = DP_ETH_IPV4;
			else
				return DP_NOT_IP;
			return DP_FOUND;
		}
	}
	return DP_TOO_DEEP;
}

/* What is not IP at once: tags, tunnels of the link layer, and what is none of ours. */
DP_FUNCTION int dp_read_tags(dp_context *context, struct dp_summary *s)
{
	struct dp_frame frame;
	const __u8 *at;
	__u32 type, offset = 14;
	int tags, reason = DP_FOUND;

	if (!s)
		return DP_TRUNCATED_LINK;
	machine_frame(context, &frame);
	type = s->type;
	for (tags = 0; tags < 2 && dp_is_vlan(type); tags++) {
		at = dp_at(&frame, offset, 4);
		if (!at)
			return DP_TRUNCATED_LINK;
		if (s->vlan == DP_NO_VLAN) /* the outermost one counts */
			s->vlan = dp_be16(at) & 0xfff;
		type = dp_be16(at + 2);
		offset += 4;
	}
	if (type == DP_ETH_PPPOE)
		reason = dp_read_pppoe(&frame, &offset, &type);
	else if (type == DP_ETH_MPLS || type == DP_ETH_MPLS_MULTICAST)
		reason = dp_read_mpls(&frame, &offset, &type);
	if (reason != DP_FOUND)
		return reason;
	if (type != DP_ETH_IPV4 && type != DP_ETH_IPV6)
		return dp_reason_of_type(type);
	s->type = (__u16)type;
	s->offset = offset;
	return DP_FOUND;
}

/* Sets the offset of the IP header, and its type to IPv4 or IPv6. */
DP_INLINE int dp_read_link(dp_context *context, const struct dp_frame *frame, struct dp_summary *s)
{
	const __u8 *at = dp_at(frame, 0, 14);

	if (!at)
		return DP_TRUNCATED_LINK;
	s->captured = frame->captured;
	s->type = (__u16)dp_be16(at + 12);
	s->offset = 14;
	if (s->type == DP_ETH_IPV4 || s->type == DP_ETH_IPV6)
		return DP_FOUND;
	return dp_read_tags(context, s);
}
