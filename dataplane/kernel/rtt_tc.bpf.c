// SPDX-License-Identifier: GPL-2.0
/*
 * Round trips measured where the packets pass, at tc: both directions of a host or router.  The
 * program looks at each packet, passes it on unchanged, and hands over a delay when a response
 * finds its request (docs/design/dataplane.md).
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#define dp_context struct __sk_buff
#include "dataplane/kernel/kernel_machine.h"
#include "dataplane/kernel/program.h"
#include "dataplane/kernel/segments.h"
#include "dataplane/kernel/skb_frame.h"

/* Some drivers leave all but the first bytes in pages of their own.  Rare, so it is a function: the
 * packet's headers are brought to where they can be read, and read once more. */
DP_FUNCTION int fetch_and_parse(struct __sk_buff *skb, struct dp_summary *s)
{
	__u32 wanted = skb->len;

	if (!s)
		return DP_TRUNCATED_LINK;
	if (wanted > 512)
		wanted = 512;
	if (bpf_skb_pull_data(skb, wanted))
		return DP_TRUNCATED_LINK;
	return dp_parse(skb, s);
}

SEC("tc")
int rtt_tc(struct __sk_buff *skb)
{
	struct dp_summary s = {0};
	const __u32 segments = dp_segments(skb);
	int reason;

	s.time_ns = config.replay ? skb->tstamp : 0;
	s.interface = skb->ifindex;
	s.part = skb->gso_size;
	/* The device, or the stack, may have taken the outermost tag off. */
	s.vlan = skb->vlan_present ? skb->vlan_tci & 0xfff : DP_NO_VLAN;
	reason = dp_parse(skb, &s);
	if (dp_is_truncated(reason) && skb->data_end - skb->data < skb->len)
		reason = fetch_and_parse(skb, &s);
	dp_step(&s);
	dp_look_at(&s, reason, segments, skb->len);
	return TC_ACT_UNSPEC; /* whoever comes next decides */
}

/* What a program costs that does nothing. */
SEC("tc")
int empty_tc(struct __sk_buff *skb)
{
	return TC_ACT_UNSPEC;
}
