/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/* From the first byte to the IP header, and what a flow is told by. */
#include <linux/bpf.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "dataplane/kernel/compilers.h"
#include "dataplane/kernel/load.h"
#include "dataplane/kernel/marking/abi.h"

#define MK_HEADERS 128 /* bytes that are fetched if the device left them elsewhere */

struct mk_packet {
	__u8 *ip; /* NULL: no IP packet */
	__u8 *end;
	__u32 is_ipv6;
	__u32 cut; /* the headers are not there */
};

DP_INLINE __u32 mk_be16(const __u8 *at)
{
	return bpf_ntohs(*(const __be16 *)at);
}

/* Ethernet, up to two VLAN tags.  The outermost header counts: a tunnel is one flow's packets. */
DP_INLINE void mk_find(struct __sk_buff *skb, struct mk_packet *packet)
{
	__u8 *at = (__u8 *)(long)skb->data, *end = (__u8 *)(long)skb->data_end;
	__u32 type;
	int tags;

	packet->ip = 0;
	packet->end = end;
	packet->cut = 1;
	if (at + 14 > end)
		return;
	type = mk_be16(at + 12);
	at += 14;
	for (tags = 0; tags < 2 && (type == 0x8100 || type == 0x88a8); tags++) {
		if (at + 4 > end)
			return;
		type = mk_be16(at + 2);
		at += 4;
	}
	packet->is_ipv6 = type == 0x86dd;
	if (type != 0x0800 && type != 0x86dd) {
		packet->cut = 0;
		return;
	}
	if (at + (packet->is_ipv6 ? 40 : 20) > end)
		return;
	packet->cut = 0;
	if (at[0] >> 4 != (packet->is_ipv6 ? 6 : 4) || (!packet->is_ipv6 && (at[0] & 15) < 5))
		return;
	packet->ip = at;
}

/* Neighbours talk to each other with these; no router passes them on, so behind one they would be
 * missed. */
DP_INLINE int mk_is_local4(const __u8 *ip)
{
	const __u32 to = bpf_ntohl(*(const __be32 *)(ip + 16));

	return to >> 8 == 0xe00000 || to == 0xffffffff || to >> 16 == 0xa9fe;
}

DP_INLINE int mk_is_local6(const __u8 *ip, const __u8 *end)
{
	const __u32 from = mk_be16(ip + 8), to = mk_be16(ip + 24);

	if ((from & 0xffc0) == 0xfe80 || (to & 0xffc0) == 0xfe80)
		return 1;
	if (to >> 8 == 0xff && (to & 15) <= 2)
		return 1;
	/* RFC 4861: neighbour discovery, whatever the addresses. */
	return ip[6] == 58 && ip + 41 <= end && ip[40] >= 133 && ip[40] <= 137;
}

DP_INLINE int mk_is_extension(__u32 protocol)
{
	return protocol == 0 || protocol == 43 || protocol == 44 || protocol == 60 ||
	       protocol == 135;
}

/* What lies behind the IP header and its extensions. */
struct mk_transport {
	__u32 protocol;
	__u32 offset, length; /* from the IP header on; length: of all of the packet */
	__u32 is_first;       /* not a later fragment */
	__u32 fragment;       /* offset of the IPv6 fragment header, or 0 */
};

DP_INLINE void mk_find_transport(const struct mk_packet *packet, struct mk_transport *found)
{
	const __u8 *const ip = packet->ip, *at;
	int i;

	found->is_first = 1;
	found->fragment = 0;
	if (!packet->is_ipv6) {
		found->protocol = ip[9];
		found->offset = (ip[0] & 15) * 4;
		found->length = mk_be16(ip + 2);
		found->is_first = !(mk_be16(ip + 6) & 0x1fff);
		return;
	}
	found->protocol = ip[6];
	found->offset = 40;
	found->length = mk_be16(ip + 4) + 40;
	for (i = 0; i < 6 && mk_is_extension(found->protocol); i++) {
		if (found->offset > 512)
			return;
		at = ip + found->offset;
		if (at + 8 > packet->end)
			return;
		if (found->protocol == 44) {
			found->is_first = !(mk_be16(at + 2) & 0xfff8);
			found->fragment = found->offset;
			found->offset += 8;
		} else {
			found->offset += (at[1] + 1) * 8;
		}
		found->protocol = at[0];
		if (!found->is_first)
			return;
	}
}

/* MK_REST of a packet, ports 0 where there are none. */
DP_INLINE __u64 mk_rest(const struct mk_packet *packet, const struct mk_transport *found)
{
	const __u8 *at;

	if (found->is_first && (found->protocol == 6 || found->protocol == 17) &&
	    found->offset <= 1024 && (found->length >= found->offset + 4 || found->length <= 40)) {
		at = packet->ip + found->offset;
		if (at + 4 <= packet->end)
			return MK_REST(mk_be16(at), mk_be16(at + 2), found->protocol);
	}
	return MK_REST(0, 0, found->protocol);
}

/* Addresses as they lie in the header. */
DP_INLINE void mk_addresses(const struct mk_packet *packet, __u64 addresses[4])
{
	const __u8 *const ip = packet->ip;

	if (packet->is_ipv6) {
		addresses[0] = dp_load64(ip + 8);
		addresses[1] = dp_load64(ip + 16);
		addresses[2] = dp_load64(ip + 24);
		addresses[3] = dp_load64(ip + 32);
	} else {
		addresses[0] = dp_load64(ip + 12);
		addresses[1] = addresses[2] = addresses[3] = 0;
	}
}
