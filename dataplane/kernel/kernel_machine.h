/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * The functions that the shared headers need, by maps and helpers.  They need no type information
 * of the kernel: they use only __sk_buff, xdp_md and their own maps.
 *
 * The loader sets the sizes of the maps from the user's limits.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "dataplane/kernel/frame.h"
#include "dataplane/kernel/summary.h"

char LICENSE[] SEC("license") = "GPL";

/*
 * The slots of one shard of one fridge, in a map of its own.  A map of up to 32 KiB is in the
 * kernel's own memory, which has huge pages; a larger one is in pages of 4 KiB.  A random access to
 * 8 MiB of small pages cost more than all other work for a request (docs/results/kernel.md).  There
 * is a single value, so that its slots can begin at a cache line.
 */
struct part_of_slots {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, DP_VALUE_TO_LINE + sizeof(struct dp_slot));
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct part_of_slots);
} slots SEC(".maps");

/* Mappable, although never mapped: a mappable map begins at a page.  Any other map begins 56 bytes
 * into a cache line, and every record would be in two lines. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, DP_MOST_SHARDS);
	__type(key, __u32);
	__type(value, struct dp_shard);
} shards SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct dp_bucket);
} connections SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct dp_super_bucket);
} super_packets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct dp_asked_line);
} asked SEC(".maps");

/* Written once, before the first packet. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct dp_services);
} services SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct dp_factors);
} factors SEC(".maps");

/* Histograms, which the process maps as well. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct dp_bin);
} bins SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct dp_cell);
} cells SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct dp_marks);
} marks SEC(".maps");

/* An entry for each CPU in memory that the process maps: reading needs no privilege any more. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct dp_counters);
} counters SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} samples SEC(".maps");

const volatile struct dp_config config;
struct dp_control control;

DP_INLINE const volatile struct dp_config *machine_config(void)
{
	return &config;
}
DP_INLINE struct dp_control *machine_control(void)
{
	return &control;
}
DP_INLINE struct dp_counters *machine_counters(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&counters, &cpu);
}
DP_INLINE struct dp_slot *machine_slot(__u32 part, __u64 slot)
{
	void *const map = bpf_map_lookup_elem(&slots, &part);
	const __u32 first = 0;
	__u8 *value;

	if (!map)
		return 0;
	value = bpf_map_lookup_elem(map, &first);
	if (!value || slot >= config.shard_slots)
		return 0;
	return (struct dp_slot *)(value + DP_VALUE_TO_LINE + slot * sizeof(struct dp_slot));
}
DP_INLINE struct dp_shard *machine_shard(__u32 index)
{
	return bpf_map_lookup_elem(&shards, &index);
}
DP_INLINE struct dp_bucket *machine_bucket(__u32 index)
{
	return bpf_map_lookup_elem(&connections, &index);
}
DP_INLINE struct dp_super_bucket *machine_super_bucket(__u32 index)
{
	return bpf_map_lookup_elem(&super_packets, &index);
}
DP_INLINE struct dp_asked_line *machine_asked_line(__u32 index)
{
	return bpf_map_lookup_elem(&asked, &index);
}
DP_INLINE const struct dp_services *machine_services(void)
{
	__u32 first = 0;

	return bpf_map_lookup_elem(&services, &first);
}
DP_INLINE struct dp_bin *machine_bin(__u32 index)
{
	return bpf_map_lookup_elem(&bins, &index);
}
DP_INLINE struct dp_cell *machine_cell(__u32 index)
{
	return bpf_map_lookup_elem(&cells, &index);
}
DP_INLINE struct dp_marks *machine_marks(__u32 index)
{
	return bpf_map_lookup_elem(&marks, &index);
}
DP_INLINE const struct dp_factors *machine_factors(void)
{
	__u32 first = 0;

	return bpf_map_lookup_elem(&factors, &first);
}
DP_INLINE struct dp_sample *machine_reserve(void)
{
	return bpf_ringbuf_reserve(&samples, sizeof(struct dp_sample), 0);
}
/* The reader looks by itself: waking it up would cost more than the sample. */
DP_INLINE void machine_submit(struct dp_sample *sample)
{
	bpf_ringbuf_submit(sample, BPF_RB_NO_WAKEUP);
}
DP_INLINE __u64 machine_now(const struct dp_summary *packet)
{
	return config.replay ? packet->time_ns : bpf_ktime_get_ns();
}
