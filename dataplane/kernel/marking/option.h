/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/* The AltMark option of IPv6, RFC 9343: where it is, or may go (wire/headers/marking_option.h). */
#include "dataplane/kernel/marking/memory.h"
#include "dataplane/kernel/marking/packet.h"

#define MK_GROWTH 8    /* bytes that the option adds: a header of its own, or padding before it */
#define MK_OPTION 0x12 /* its type, and four bytes of data: FlowMonID, L, D */
#define MK_LONGEST_CHAIN 12
#define MK_MOST_OPTIONS 64

/* All offsets but `ip` are from the IP header on. */
struct mk_option {
	__u32 ip;        /* offset of the IP header in the packet */
	__u32 data_at;   /* of the option's data, or 0 */
	__u32 data;      /* ... as a number */
	__u32 refused;   /* no option may be put in: not all there, or other reasons */
	__u32 header;    /* the extension header that it belongs into: here */
	__u32 length;    /* ... so long, or 0 if there is none yet */
	__u32 announced; /* ... and announced here */
	__u32 next;      /* what follows the first header, if that is the option's */
	/* On the way along the headers. */
	__u32 number, at, announced_at, may_be_here;
};

struct mk_search {
	__u32 at, end; /* of a header's options in the packet */
	__u32 found;   /* the option, or 0 */
	__u32 bad;
};

DP_FUNCTION int mk_search_options(struct __sk_buff *skb, struct mk_search *search)
{
	__u8 head[2];
	int i;

	if (!search)
		return 0;
	for (i = 0; i < MK_MOST_OPTIONS && search->at < search->end; i++) {
		if (bpf_skb_load_bytes(skb, search->at, head, 1))
			break;
		if (head[0] == 0) { /* Pad1 */
			search->at++;
			continue;
		}
		if (search->end - search->at < 2 || bpf_skb_load_bytes(skb, search->at, head, 2) ||
		    search->end - search->at - 2 < head[1])
			break;
		if (head[0] == MK_OPTION && head[1] == 4) {
			search->found = search->at;
			return 0;
		}
		search->at += 2 + head[1];
	}
	search->bad = search->at < search->end;
	return 0;
}

/* What stands at option->at: 1 if more may follow. */
DP_FUNCTION int mk_walk_header(struct __sk_buff *skb, struct mk_option *option)
{
	struct mk_search search;
	__u32 number, offset, length;
	__u8 head[2];

	if (!option)
		return 0;
	number = option->number;
	offset = option->at;
	if (!(number == 0 && offset == 40) && number != 60 && number != 43 && number != 51)
		return 0;
	option->refused |= 1; /* unless all of it is there */
	if (bpf_skb_load_bytes(skb, option->ip + offset, head, 2))
		return 0;
	length = number == 51 ? (head[1] + 2) * 4 : (head[1] + 1) * 8;
	if (option->ip + offset + length > skb->len)
		return 0;
	option->refused &= ~1u;
	if (number == 51)
		option->refused |= 2; /* it covers the options */
	if (number == config.option_header) {
		search.at = option->ip + offset + 2;
		search.end = option->ip + offset + length;
		search.found = search.bad = 0;
		if (!option->data_at)
			mk_search_options(skb, &search);
		if (search.found)
			option->data_at = search.found + 2 - option->ip;
		if (option->may_be_here) {
			option->header = offset;
			option->length = length;
			option->announced = option->announced_at;
			if (search.bad || head[1] == 0xff)
				option->refused |= 2;
		}
		option->may_be_here = 0;
	} else if (number == 0) {
		/* Destination options come right after those for every hop. */
		option->header = offset + length;
		option->announced = offset;
	} else {
		option->may_be_here = 0;
	}
	option->announced_at = offset;
	option->number = head[0];
	option->at = offset + length;
	return 1;
}

/* Packets that have extension headers already. */
DP_FUNCTION int mk_walk(struct __sk_buff *skb, struct mk_option *option)
{
	int i;

	if (!option)
		return 0;
	for (i = 0; i < MK_LONGEST_CHAIN; i++)
		if (!mk_walk_header(skb, option))
			return 0;
	option->refused |= 1; /* too long */
	return 0;
}

DP_INLINE int mk_has_extensions(__u32 number)
{
	return number == 0 || number == 60 || number == 43 || number == 51;
}

DP_INLINE void mk_find_option(struct __sk_buff *skb, const struct mk_packet *packet,
			      struct mk_option *option)
{
	const __u8 *const ip = packet->ip;
	__be32 data;

	__builtin_memset(option, 0, sizeof(*option));
	option->ip = (__u32)(ip - (__u8 *)(long)skb->data);
	option->header = 40;
	option->announced = 6;
	option->refused = mk_be16(ip + 4) == 0 || mk_be16(ip + 4) + MK_GROWTH > 0xffff ? 2 : 0;
	if (!mk_has_extensions(ip[6]))
		return;
	/* Nearly always it is alone in the first of them. */
	if (ip[6] == config.option_header && ip + 48 <= packet->end) {
		const __u32 head = bpf_ntohl(*(const __be32 *)(ip + 40));

		if ((head & 0xffffff) == (MK_OPTION << 8 | 4) && !mk_has_extensions(head >> 24)) {
			option->length = MK_GROWTH;
			option->data_at = 44;
			option->next = head >> 24;
			option->data = bpf_ntohl(*(const __be32 *)(ip + 44));
			return;
		}
	}
	option->number = ip[6];
	option->at = 40;
	option->announced_at = 6;
	option->may_be_here = 1;
	if (ip + 41 <= packet->end)
		option->next = ip[40];
	mk_walk(skb, option);
	if (option->data_at && !bpf_skb_load_bytes(skb, option->ip + option->data_at, &data, 4))
		option->data = bpf_ntohl(data);
	else
		option->data_at = 0;
}
