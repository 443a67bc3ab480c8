// SPDX-License-Identifier: GPL-2.0
/*
 * RLI's receiver where packets come in, at tc ingress: it learns delays from reference packets and
 * keeps count, sum and squares of every flow's (docs/design/rli.md).  Packets pass on unchanged.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>
#define dp_context struct __sk_buff
#include "dataplane/kernel/reference/gaps.h"
#include "dataplane/kernel/reference/packet.h"
#include "dataplane/kernel/segments.h"
#include "dataplane/kernel/skb_frame.h"

char LICENSE[] SEC("license") = "GPL";

/* Mappable: the process reads them without a privilege, and such a map begins at a page, so that a
 * record lies in two cache lines. */
#define RP_ARRAY(name, type_of_value)                                                             \
	struct {                                                                                  \
		__uint(type, BPF_MAP_TYPE_ARRAY);                                                 \
		__uint(map_flags, BPF_F_MMAPABLE);                                                \
		__uint(max_entries, 1);                                                           \
		__type(key, __u32);                                                               \
		__type(value, type_of_value);                                                     \
	} name SEC(".maps")

RP_ARRAY(groups, struct rp_group); /* two tables, one behind the other */
RP_ARRAY(keys, struct rp_key);     /* of each way of each group */
RP_ARRAY(gaps, struct rp_gap);
RP_ARRAY(counters, struct rp_counters); /* of each CPU */

const volatile struct rp_config config;
struct rp_shared shared;

DP_INLINE struct rp_gap *machine_gap(__u32 number)
{
	number &= RP_GAPS - 1;
	return bpf_map_lookup_elem(&gaps, &number);
}

/*
 * One direction of a conversation, on one CPU: a record is written by one CPU only and needs no
 * lock.  A flow that comes by two has two records, whose sums the reader adds up.
 */
DP_INLINE __u64 hash_of(const struct dp_summary *s, __u32 cpu)
{
	const volatile struct dp_pair_secrets *secrets = &config.secrets;
	const __u64 ports = (__u64)s->source_port << 48 | (__u64)s->destination_port << 32 |
			    (__u64)s->is_ipv6 << 24 | (__u64)s->protocol << 16 | (cpu & 0xffff);
	struct dp_pair_sums sums = {0, 0};

	dp_pair_add(&sums, secrets, 4, ports);
	if (s->is_ipv6) {
		dp_pair_add(&sums, secrets, 0, s->source[0]);
		dp_pair_add(&sums, secrets, 1, s->source[1]);
		dp_pair_add(&sums, secrets, 2, s->destination[0]);
		dp_pair_add(&sums, secrets, 3, s->destination[1]);
	} else {
		dp_pair_add(&sums, secrets, 0, s->source[0] << 32 | s->destination[0]);
	}
	return dp_pair_joined(&sums);
}

/* Rare, so a function: the first packet of a flow. */
DP_FUNCTION int write_key(const struct dp_summary *s, __u32 index)
{
	struct rp_key *key = bpf_map_lookup_elem(&keys, &index);

	if (!s || !key)
		return 0;
	__builtin_memcpy(key->source, s->source, 16);
	__builtin_memcpy(key->destination, s->destination, 16);
	key->source_port = s->source_port;
	key->destination_port = s->destination_port;
	key->protocol = (__u8)s->protocol;
	key->is_ipv6 = s->is_ipv6;
	return 0;
}

/* The group of a flow in the table that is in use now, and its number. */
DP_INLINE struct rp_group *group_at(__u32 *index)
{
	*index += (*(volatile __u32 *)&shared.table & 1) * config.groups;
	return bpf_map_lookup_elem(&groups, index);
}

/*
 * Where a record most often is: its lines are written to, and come from wherever they are while the
 * clock is read.  A load would not do: reading the clock waits for loads, but not for stores.
 */
DP_INLINE void touch(struct rp_group *group, __u64 hash)
{
	struct rp_flow *flow = &group->way[(__u32)hash & (RP_WAYS - 1)];

	*(volatile __u16 *)&flow->touched = 1;
	*(volatile __u32 *)&flow->touched_too = 1;
}

/* In a group, or a new record there; NULL: it is full. */
DP_INLINE struct rp_flow *flow_in(const struct dp_summary *s, __u64 hash, struct rp_group *group,
				  __u32 index)
{
	const __u32 first = (__u32)hash & (RP_WAYS - 1);
	__u32 i, way;

#pragma unroll
	for (i = 0; i < RP_WAYS; i++) {
		way = (first + i) & (RP_WAYS - 1);
		if (group->way[way].flow == hash)
			return &group->way[way];
		if (!group->way[way].flow &&
		    !__sync_val_compare_and_swap(&group->way[way].flow, 0, hash)) {
			write_key(s, index * RP_WAYS + way);
			return &group->way[way];
		}
	}
	return 0;
}

/* A reference packet, `at` its payload.  Not inlined: there are few. */
DP_FUNCTION int take_reference(struct __sk_buff *skb, __u32 offset, __u64 now, __s64 size_ns)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct rp_counters *c = bpf_map_lookup_elem(&counters, &cpu);
	struct rp_reference reference;
	__u8 at[RP_PAYLOAD];
	__u64 sent;

	if (!c || bpf_skb_load_bytes(skb, offset, at, sizeof(at)))
		return 0;
	__builtin_memcpy(&sent, at + RP_AT_SENT, sizeof(sent));
	reference.sent_ns = __builtin_bswap64(sent);
	reference.received_ns = now;
	reference.size_ns = size_ns;
	reference.sequence = dp_be32(at + RP_AT_SEQUENCE);
	reference.sender = dp_be16(at + RP_AT_SENDER);
	if (__sync_val_compare_and_swap(&shared.is_busy, 0, 1)) {
		c->references_reordered++; /* two at once cannot be told apart in time */
		return 0;
	}
	rp_reference_came(&shared, c, &reference);
	__sync_lock_test_and_set(&shared.is_busy, 0);
	return 0;
}

/* What a packet is long on the wire, of several that were joined each. */
DP_INLINE __u32 bytes_of(struct __sk_buff *skb, const struct dp_summary *s, __u32 segments)
{
	const __u32 behind_link = skb->len - 14;

	if (segments > 1) /* headers of IP, and of TCP or UDP as far as all have them */
		return s->offset - 14 + (s->protocol == DP_IP_TCP ? 20 : 8) + skb->gso_size;
	return s->ip_length > behind_link ? s->ip_length : behind_link;
}

DP_INLINE __u64 time_of(struct __sk_buff *skb)
{
	return (config.replay ? skb->tstamp : bpf_ktime_get_tai_ns()) +
	       (__u64) * (volatile __s64 *)&shared.clock_offset_ns;
}

/* Two groups to choose from: a full one is rare as long as the table has room.  Records are not
 * given up while a table is in use, so who is in the second group is not in the first. */
DP_INLINE void take_packet(struct __sk_buff *skb, struct dp_summary *s, __u32 cpu,
			   struct rp_counters *c)
{
	const __u64 hash = hash_of(s, cpu);
	const __u32 segments = dp_segments(skb), mask = config.groups - 1;
	__u32 index = (__u32)(hash >> 32) & mask;
	struct rp_group *group = group_at(&index);
	struct rp_flow *f;
	__u64 now;

	if (!group)
		return; /* cannot be */
	touch(group, hash);
	now = time_of(skb);
	c->packets += segments;
	f = flow_in(s, hash, group, index);
	if (!f) {
		index = (__u32)(hash >> 8) & mask;
		group = group_at(&index);
		if (group)
			f = flow_in(s, hash, group, index);
	}
	if (f)
		rp_packets_came(f, c, *(volatile __u32 *)&shared.current, now, segments,
				rp_size_ns(&config, bytes_of(skb, s, segments)));
	else
		c->no_room += segments;
}

/* Benchmark: a fresh flow for each repeat of one packet. */
DP_INLINE void step(struct dp_summary *s, struct rp_counters *c)
{
	s->source[0] += c->step;
	c->step = c->step + 1 < config.steps ? c->step + 1 : 0;
}

DP_INLINE void look_at(struct __sk_buff *skb, struct dp_frame *frame, struct dp_summary *s)
{
	const __u8 *at = dp_at(frame, s->offset, 4);
	__u32 cpu = bpf_get_smp_processor_id(), reference;
	struct rp_counters *c;

	s->source_port = s->destination_port = 0;
	if (at && (s->protocol == DP_IP_TCP || s->protocol == DP_IP_UDP)) {
		s->source_port = dp_load16(at);
		s->destination_port = dp_load16(at + 2);
	}
	reference = rp_reference_at(frame, s);
	if (reference) {
		take_reference(skb, reference, time_of(skb), rp_size_ns(&config, s->ip_length));
		return;
	}
	c = bpf_map_lookup_elem(&counters, &cpu);
	if (!c)
		return;
	if (config.steps)
		step(s, c);
	take_packet(skb, s, cpu, c);
}

/* Headers that the driver left in pages of their own are fetched first. */
DP_FUNCTION int fetch(struct __sk_buff *skb)
{
	return (int)bpf_skb_pull_data(skb, skb->len < 512 ? skb->len : 512);
}

SEC("tc")
int reference_rx(struct __sk_buff *skb)
{
	struct dp_summary s = {0};
	struct dp_frame frame;
	__u32 cpu = bpf_get_smp_processor_id();
	struct rp_counters *c;
	int reason;

	s.vlan = DP_NO_VLAN;
	if (skb->data_end - skb->data < 96 && skb->data_end - skb->data < skb->len)
		fetch(skb);
	reason = rp_parse(skb, &frame, &s);
	if (reason == DP_FOUND) {
		look_at(skb, &frame, &s);
	} else {
		c = bpf_map_lookup_elem(&counters, &cpu);
		if (c && reason >= 0 && reason < DP_SKIPS)
			c->skipped[reason]++;
	}
	return TC_ACT_UNSPEC;
}

/* What a program costs that does nothing. */
SEC("tc")
int empty_rx(struct __sk_buff *skb)
{
	return TC_ACT_UNSPEC;
}
