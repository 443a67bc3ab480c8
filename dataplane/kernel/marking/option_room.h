/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/* The option put into a packet and taken out again: insert_alt_mark() and remove_alt_mark(). */
#include "dataplane/kernel/marking/carrier.h"
#include "dataplane/kernel/marking/option.h"

#define MK_MOST_MOVED 32 /* words of extension headers before it; others are left alone */

/*
 * The kernel makes and takes room right behind the IPv6 header.  Where other headers come before
 * the option they are moved over it, eight bytes at a time: `up` towards the IPv6 header.
 */
DP_FUNCTION int mk_move_headers(struct __sk_buff *skb, __u32 ip, __u32 words, __u32 up)
{
	__u64 word;
	__u32 i;

	for (i = 0; i < MK_MOST_MOVED && i < words; i++) {
		const __u32 at = ip + 40 + 8 * (up ? i : words - 1 - i);

		if (bpf_skb_load_bytes(skb, at + (up ? 8 : 0), &word, 8) ||
		    bpf_skb_store_bytes(skb, at + (up ? 0 : 8), &word, 8, 0))
			return 1;
	}
	return 0;
}

/* Adds to the length of the payload, and changes the byte that tells of the header or its length.
 */
DP_INLINE int mk_tell_header(struct __sk_buff *skb, __u32 ip, __s32 growth, __u32 at, __u8 byte)
{
	const __u64 recompute = BPF_F_RECOMPUTE_CSUM;
	__u8 head[4]; /* length, next header, hop limit */
	__u32 length;

	if (bpf_skb_load_bytes(skb, ip + 4, head, 4))
		return 1;
	length = (__u32)(head[0] << 8 | head[1]) + growth;
	head[0] = length >> 8 & 255;
	head[1] = length & 255;
	if (at == 6)
		head[2] = byte;
	if (bpf_skb_store_bytes(skb, ip + 4, head, 4, recompute))
		return 1;
	return at == 6 ? 0 : bpf_skb_store_bytes(skb, ip + at, &byte, 1, recompute);
}

DP_INLINE void mk_csum_added(struct __sk_buff *skb, __u8 added[8])
{
	bpf_csum_update(skb, (__u32)bpf_csum_diff(0, 0, (__be32 *)added, 8, 0));
}

/* The IP header again, after room was made or taken; NULL if less than `bytes` of it lie together.
 */
DP_INLINE __u8 *mk_ip_again(struct __sk_buff *skb, __u32 ip, __u32 bytes)
{
	__u8 *const at = (__u8 *)(long)skb->data + (ip & 31);

	return at + bytes <= (__u8 *)(long)skb->data_end ? at : 0;
}

/* Length and next header are one word. */
DP_INLINE void mk_set_next(struct __sk_buff *skb, __u8 *ip, __s32 growth, __u32 next)
{
	const __u32 before = bpf_ntohl(*(__be32 *)(ip + 4));
	const __u32 after = (before & 0xff) | next << 8 | ((before >> 16) + growth) << 16;

	*(__be32 *)(ip + 4) = bpf_htonl(after);
	mk_device_sum(skb, before, after);
}

/* Right behind the IPv6 header, where there is no such header yet. */
DP_INLINE int mk_insert_first(struct __sk_buff *skb, const struct mk_option *option, __u32 data)
{
	__u8 *ip;
	__u64 added;

	if (bpf_skb_adjust_room(skb, MK_GROWTH, BPF_ADJ_ROOM_NET, BPF_F_ADJ_ROOM_NO_CSUM_RESET))
		return 1;
	ip = mk_ip_again(skb, option->ip, 48);
	if (!ip)
		return 1; /* cannot be: the kernel has just moved it */
	added = (__u64)ip[6] << 56 | (__u64)MK_OPTION << 40 | 4ull << 32 | data;
	mk_set_next(skb, ip, MK_GROWTH, config.option_header);
	*(__be64 *)(ip + 40) = bpf_cpu_to_be64(added);
	mk_device_sum(skb, 0, added >> 32);
	mk_device_sum(skb, 0, data);
	return 0;
}

/* Where there is such a header already it grows at its end. */
DP_FUNCTION int mk_insert_behind(struct __sk_buff *skb, const struct mk_option *option, __u32 data)
{
	__u8 added[8] = {1,         0, MK_OPTION, 4, data >> 24, data >> 16 & 255, data >> 8 & 255,
			 data & 255};
	__u32 place, words, told_at;
	__u8 told;

	if (!option)
		return 1;
	place = option->header + option->length;
	words = (place - 40) / 8;
	told_at = option->length ? option->header + 1 : option->announced;
	if (words > MK_MOST_MOVED || bpf_skb_load_bytes(skb, option->ip + told_at, &told, 1) ||
	    bpf_skb_adjust_room(skb, MK_GROWTH, BPF_ADJ_ROOM_NET, BPF_F_ADJ_ROOM_NO_CSUM_RESET))
		return 1;
	mk_move_headers(skb, option->ip, words, 1);
	if (!option->length)
		added[0] = told; /* what follows */
	/* The room was zeros, or what was moved away: it is in the sum once. */
	bpf_skb_store_bytes(skb, option->ip + place, added, 8, 0);
	mk_csum_added(skb, added);
	mk_tell_header(skb, option->ip, MK_GROWTH, told_at,
		       option->length ? told + 1 : config.option_header);
	return 0;
}

/* 0 if it is in. */
DP_INLINE int mk_insert_option(struct __sk_buff *skb, const struct mk_option *option, __u32 data)
{
	return option->header == 40 && !option->length ? mk_insert_first(skb, option, data)
						       : mk_insert_behind(skb, option, data);
}

DP_INLINE int mk_remove_first(struct __sk_buff *skb, const struct mk_option *option)
{
	__u8 *ip;

	if (bpf_skb_adjust_room(skb, -MK_GROWTH, BPF_ADJ_ROOM_NET, BPF_F_ADJ_ROOM_NO_CSUM_RESET))
		return 1;
	ip = mk_ip_again(skb, option->ip, 40);
	if (ip)
		mk_set_next(skb, ip, -MK_GROWTH, option->next);
	return 0;
}

DP_FUNCTION int mk_remove_behind(struct __sk_buff *skb, const struct mk_option *option)
{
	__u32 from, words, told_at, alone;
	__u8 added[8], told;

	if (!option)
		return 1;
	from = option->data_at - 4;
	words = (from - 40) / 8;
	alone = option->length == MK_GROWTH;
	told_at = alone ? option->announced : option->header + 1;
	if (words > MK_MOST_MOVED || bpf_skb_load_bytes(skb, option->ip + from, added, 8) ||
	    (!alone && (added[0] != 1 || added[1] != 0)) ||
	    bpf_skb_load_bytes(skb, option->ip + told_at, &told, 1))
		return 1;
	mk_move_headers(skb, option->ip, words, 0);
	/* What is taken out of the sum is what stands here. */
	bpf_skb_store_bytes(skb, option->ip + 40, added, 8, 0);
	if (bpf_skb_adjust_room(skb, -MK_GROWTH, BPF_ADJ_ROOM_NET, BPF_F_ADJ_ROOM_NO_CSUM_RESET)) {
		mk_move_headers(skb, option->ip, words, 1);
		bpf_skb_store_bytes(skb, option->ip + from, added, 8, 0);
		return 1;
	}
	mk_tell_header(skb, option->ip, -MK_GROWTH, told_at, alone ? added[0] : told - 1);
	return 0;
}

/* 0 if the option was removed; otherwise it is not in the form that we insert, and stays. */
DP_INLINE int mk_remove_option(struct __sk_buff *skb, const struct mk_option *option)
{
	if (!option->length || option->header + option->length != option->data_at + 4)
		return 1;
	return option->header == 40 && option->length == MK_GROWTH ? mk_remove_first(skb, option)
								   : mk_remove_behind(skb, option);
}

DP_INLINE void mk_store_option(struct __sk_buff *skb, const struct mk_option *option, __u32 data)
{
	const __be32 bytes = bpf_htonl(data);

	if (data != option->data)
		bpf_skb_store_bytes(skb, option->ip + option->data_at, &bytes, 4,
				    BPF_F_RECOMPUTE_CSUM);
}

/* The number of segments of a super-packet if each has the option: the kernel makes the segments
 * smaller.  0 if it cannot be divided so. */
DP_INLINE __u32 mk_divided(const struct __sk_buff *skb, const struct mk_packet *packet,
			   const struct mk_transport *transport, const struct mk_option *option,
			   __u32 segments)
{
	const __u8 *tcp;
	__u32 headers;

	if (segments <= 1)
		return 1;
	if (transport->protocol != 6 || transport->offset > 512 || skb->gso_size <= MK_GROWTH)
		return 0;
	tcp = packet->ip + transport->offset;
	if (tcp + 20 > packet->end)
		return 0;
	headers = option->ip + transport->offset + (tcp[12] >> 4) * 4;
	return skb->len > headers ? (skb->len - headers + skb->gso_size - MK_GROWTH - 1) /
					    (skb->gso_size - MK_GROWTH)
				  : 0;
}

/* Whether the packet with the option still fits through the interface. */
DP_INLINE int mk_fits(struct __sk_buff *skb)
{
	__u32 mtu = 0;

	return bpf_check_mtu(skb, 0, &mtu, MK_GROWTH, 0) == 0;
}
