// SPDX-License-Identifier: GPL-2.0
/*
 * Selects packets by their hash where they pass, at tc: both directions of a host or router.  The
 * label is that of oneway/label.h: tests/dataplane/replay_selection.cpp holds the two against each
 * other.  Packets that may hide another IP packet, and whatever is unusual, are handed over for the
 * process to decide, so that nothing is decided differently here (docs/design/dataplane.md).
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

#include "dataplane/kernel/label.h"
#include "dataplane/kernel/select_abi.h"

char LICENSE[] SEC("license") = "GPL";

/* An entry for each CPU in memory that the process maps. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct dp_select_counters);
} counters SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} handed SEC(".maps");

const volatile struct dp_select_config config;

enum {
	ETH_IPV4 = 0x0800,
	ETH_VLAN = 0x8100,
	ETH_IPV6 = 0x86dd,
	ETH_PROVIDER_VLAN = 0x88a8,
	IP_ICMP = 1,
	IP_ESP = 50,
	IP_ICMPV6 = 58,
	IP_SCTP = 132,
	MOST_HEADERS = 14 + 8 + 60,
};

enum verdict { NOT_SELECTED, SELECTED, UNDECIDED };

DP_INLINE int may_be_tunnel(__u32 port)
{
	return config.tunnel_ports[port >> 6 & 1023] >> (port & 63) & 1;
}

/* What is decided here is what the short way of IpLocator finds (wire/ip_packet.cpp), and ESP and
 * SCTP, which carry no packet that could be read. */
DP_INLINE int decide(struct __sk_buff *skb, __u32 *label, __u32 step)
{
	const __u8 *data = (const __u8 *)(long)skb->data, *end = (const __u8 *)(long)skb->data_end;
	const __u8 *ip = data + 14, *payload;
	struct dp_bob h;
	__u32 offset = 14, protocol, rest, size, type;

	if (data + 14 + 8 + 20 > end)
		return UNDECIDED;
	type = be16_at(data + 12);
	if (type == ETH_VLAN || type == ETH_PROVIDER_VLAN) {
		type = be16_at(data + 16);
		ip += 4, offset += 4;
		if (type == ETH_VLAN || type == ETH_PROVIDER_VLAN) {
			type = be16_at(data + 20);
			ip += 4, offset += 4;
		}
	}
	dp_bob_begin(&h, config.init + step);
	if (type == ETH_IPV4) {
		const __u32 header = (ip[0] & 15) * 4, total = be16_at(ip + 2);

		if (ip[0] >> 4 != 4 || header < 20 || total < header || be16_at(ip + 6) & 0x1fff)
			return UNDECIDED;
		protocol = ip[9];
		rest = total - header;
		offset += header;
		hash_ipv4(&h, ip);
	} else if (type == ETH_IPV6) {
		if (ip + 40 > end || ip[0] >> 4 != 6)
			return UNDECIDED;
		protocol = ip[6];
		rest = be16_at(ip + 4);
		if (!rest)
			return UNDECIDED;
		offset += 40;
		hash_ipv6(&h, ip, rest);
	} else {
		return UNDECIDED;
	}
	if (skb->len < offset)
		return UNDECIDED;
	size = skb->len - offset;
	if (size > rest)
		size = rest;
	if (size > DP_LABEL_PAYLOAD)
		size = DP_LABEL_PAYLOAD;
	switch (protocol) {
	case IP_UDP:
		payload = data + offset;
		if (size < 8 || payload + 4 > end || may_be_tunnel(be16_at(payload)) ||
		    may_be_tunnel(be16_at(payload + 2)))
			return UNDECIDED;
	case IP_TCP:
	case IP_ICMP:
	case IP_ICMPV6:
	case IP_ESP:
	case IP_SCTP:
		break;
	default:
		return UNDECIDED;
	}
	payload = data + offset;
	if (size == DP_LABEL_PAYLOAD && payload + DP_LABEL_PAYLOAD <= end)
		*label = hash_payload(&h, payload, DP_LABEL_PAYLOAD, protocol);
	else
		*label = (__u32)label_of_copy(skb, &h, offset, size, protocol);
	return *label <= config.max ? SELECTED : NOT_SELECTED;
}

/* The reader looks by itself: waking it up would cost more than the packet. */
DP_INLINE int hand_over(struct __sk_buff *skb, struct dp_handed *head, __u8 *bytes, __u32 most,
			__u32 label, __u32 is_decided)
{
	__u32 size = skb->len;

	if (size > most)
		size = most;
	if (size == 0 || bpf_skb_load_bytes(skb, 0, bytes, size)) {
		bpf_ringbuf_discard(head, BPF_RB_NO_WAKEUP);
		return 0;
	}
	head->time_ns = config.replay ? skb->tstamp : bpf_ktime_get_ns();
	head->length = skb->len;
	head->captured = size;
	head->label = label;
	head->is_decided = is_decided;
	bpf_ringbuf_submit(head, BPF_RB_NO_WAKEUP);
	return 1;
}

DP_FUNCTION int hand_over_decided(struct __sk_buff *skb, __u32 label)
{
	struct dp_handed_decided *room =
		bpf_ringbuf_reserve(&handed, sizeof(struct dp_handed_decided), 0);

	return room ? hand_over(skb, &room->head, room->bytes, DP_DECIDED_BYTES, label, 1) : 0;
}

DP_FUNCTION int hand_over_undecided(struct __sk_buff *skb)
{
	struct dp_handed_undecided *room =
		bpf_ringbuf_reserve(&handed, sizeof(struct dp_handed_undecided), 0);

	return room ? hand_over(skb, &room->head, room->bytes, DP_UNDECIDED_BYTES, 0, 0) : 0;
}

SEC("tc")
int select_tc(struct __sk_buff *skb)
{
	__u32 cpu = bpf_get_smp_processor_id(), label = 0, linear;
	struct dp_select_counters *count = bpf_map_lookup_elem(&counters, &cpu);

	if (!count)
		return TC_ACT_UNSPEC;
	count->seen++;
	count->bytes += skb->len;
	/* Some drivers leave all but the first bytes in pages of their own. */
	linear = (__u32)(skb->data_end - skb->data);
	if (linear < MOST_HEADERS && linear < skb->len)
		bpf_skb_pull_data(skb, skb->len < MOST_HEADERS ? skb->len : MOST_HEADERS);
	switch (decide(skb, &label, config.steps ? (__u32)count->seen : 0)) {
	case NOT_SELECTED:
		count->not_selected++;
		break;
	case SELECTED:
		count->selected++;
		if (!hand_over_decided(skb, label))
			count->unread++;
		break;
	default:
		count->undecided++;
		if (!hand_over_undecided(skb))
			count->unread++;
	}
	return TC_ACT_UNSPEC; /* whoever comes next decides */
}

/* What a program costs that does nothing. */
SEC("tc")
int empty_tc(struct __sk_buff *skb)
{
	return TC_ACT_UNSPEC;
}
