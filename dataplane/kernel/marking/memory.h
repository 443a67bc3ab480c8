/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/* Maps, and the clock that a timer turns.  The sizes of the maps are set by the loader. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "dataplane/kernel/marking/interval.h"

char LICENSE[] SEC("license") = "GPL";

/* By stripe, interval and place of the flow; the process maps it as well. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct mk_slot);
} slots SEC(".maps");

/* Marking: mk_state() of each flow, for all CPUs together. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} registers SEC(".maps");

/* Of flows, four in a word. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} displacements SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct mk_counters);
} counters SEC(".maps");

/* The last packets, if copies are looked for. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct mk_seen);
} seen SEC(".maps");

struct mk_timer {
	struct bpf_timer timer;
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct mk_timer);
} timers SEC(".maps");

const volatile struct mk_config config;
struct mk_clock clock;

DP_INLINE __u64 mk_now(const struct __sk_buff *skb)
{
	return config.replay ? skb->tstamp : bpf_ktime_get_tai_ns() + clock.offset_ns;
}

DP_INLINE __u64 mk_quarters(const struct __sk_buff *skb)
{
	if (config.replay)
		return mk_quarters_at(skb->tstamp, config.exponent);
	return *(volatile __u64 *)&clock.quarters;
}

DP_INLINE struct mk_slot *mk_slot_of(__u32 place, __u64 interval)
{
	const __u32 stripe = bpf_get_smp_processor_id() & (config.stripes - 1);
	__u32 index = stripe * config.slots + (interval & (config.slots - 1));

	index = index * config.places + place;
	return bpf_map_lookup_elem(&slots, &index);
}

DP_INLINE struct mk_counters *mk_counters_here(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&counters, &cpu);
}

/* For benchmarks: the number of the packet.  Without them a constant 0 that costs nothing. */
DP_INLINE __u64 mk_step(__u32 is_last)
{
	struct mk_counters *here = config.steps ? mk_counters_here() : 0;

	if (!here)
		return 0;
	here->steps += is_last;
	return here->steps;
}

DP_INLINE void mk_add(__u64 *to, __u64 count)
{
	__sync_fetch_and_add(to, count);
}

/* Of what grows with every packet: a CPU that is alone needs no lock. */
DP_INLINE void mk_grow(__u64 *to, __u64 count)
{
	if (config.is_contended)
		mk_add(to, count);
	else
		*to += count;
}
