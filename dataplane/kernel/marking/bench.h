/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * Programs for sojourn-bench-kernel only.  They leave a packet unchanged, so that a test run can
 * repeat it.  A node inserts the option and the bare work removes it, or the other way round.  The
 * cost of the bare work is measured by programs that do more or less of it.
 */
#include "dataplane/kernel/marking/option_room.h"

/* What a program costs that does nothing, but for a benchmark's own step. */
SEC("tc")
int empty_tc(struct __sk_buff *skb)
{
	mk_step(1);
	return TC_ACT_UNSPEC;
}

/* The packets are Ethernet, IPv6 and UDP. */
DP_INLINE __be32 length_and_next(const struct __sk_buff *skb, __u32 next)
{
	return bpf_htonl((skb->len - 54) << 16 | next << 8 | 64);
}

DP_INLINE void bare_in(struct __sk_buff *skb, __u32 bytes)
{
	__u8 *ip;

	if (bpf_skb_adjust_room(skb, (__s32)bytes, BPF_ADJ_ROOM_NET, BPF_F_ADJ_ROOM_NO_CSUM_RESET))
		return;
	ip = mk_ip_again(skb, 14, 48);
	if (!ip)
		return;
	*(__be32 *)(ip + 4) = length_and_next(skb, config.option_header);
	*(__be32 *)(ip + 40) = bpf_htonl(17 << 24 | MK_OPTION << 8 | 4);
	*(__be32 *)(ip + 44) = 0;
}

DP_INLINE void bare_out(struct __sk_buff *skb, __u32 bytes)
{
	__u8 *ip;

	if (bpf_skb_adjust_room(skb, -(__s32)bytes, BPF_ADJ_ROOM_NET, BPF_F_ADJ_ROOM_NO_CSUM_RESET))
		return;
	ip = mk_ip_again(skb, 14, 40);
	if (ip)
		*(__be32 *)(ip + 4) = length_and_next(skb, 17);
}

SEC("tc")
int put_in_tc(struct __sk_buff *skb)
{
	mk_step(1);
	pass_by(skb, MK_MARK);
	bare_out(skb, MK_GROWTH);
	return TC_ACT_UNSPEC;
}

SEC("tc")
int take_out_tc(struct __sk_buff *skb)
{
	mk_step(1);
	bare_in(skb, MK_GROWTH);
	pass_by(skb, MK_RESTORE);
	return TC_ACT_UNSPEC;
}

SEC("tc")
int both_tc(struct __sk_buff *skb)
{
	mk_step(1);
	pass_by(skb, MK_MARK);
	pass_by(skb, MK_RESTORE);
	return TC_ACT_UNSPEC;
}

/* Room made piece by piece and taken at once, and the other way round: two pieces and six. */
#define MK_BARE(name, first, pieces_first, second, pieces_second)                                  \
	SEC("tc")                                                                                  \
	int name(struct __sk_buff *skb)                                                            \
	{                                                                                          \
		int i;                                                                             \
                                                                                                   \
		mk_step(1);                                                                        \
		_Pragma("unroll") for (i = 0; i < (pieces_first); i++)                             \
			first(skb, MK_GROWTH *(pieces_second));                                    \
		_Pragma("unroll") for (i = 0; i < (pieces_second); i++)                            \
			second(skb, MK_GROWTH *(pieces_first));                                    \
		return TC_ACT_UNSPEC;                                                              \
	}
MK_BARE(bare_in2_tc, bare_in, 2, bare_out, 1)
MK_BARE(bare_in6_tc, bare_in, 6, bare_out, 1)
MK_BARE(bare_out2_tc, bare_in, 1, bare_out, 2)
MK_BARE(bare_out6_tc, bare_in, 1, bare_out, 6)
