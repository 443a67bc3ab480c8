// SPDX-License-Identifier: GPL-2.0
/*
 * RLI's sender at tc egress, the last hook before queue and driver: it writes the time into the
 * reference packets of the process beside it, and tells that process when enough others have passed.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>
#define dp_context struct __sk_buff
#include "dataplane/kernel/reference/packet.h"
#include "dataplane/kernel/segments.h"
#include "dataplane/kernel/skb_frame.h"

char LICENSE[] SEC("license") = "GPL";

/* An entry wakes the process up; what it says is in rp_sending. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} wake SEC(".maps");

const volatile struct rp_config config;
struct rp_sending sending;

/* Ours carry no time yet.  The checksum covers the new bytes: 8 bytes that were 0. */
DP_FUNCTION int stamp(struct __sk_buff *skb, __u32 offset)
{
	__u64 none = 0, now, sent;
	__s64 difference;

	now = bpf_ktime_get_tai_ns() + (__u64) * (volatile __s64 *)&sending.clock_offset_ns;
	sent = __builtin_bswap64(now);
	difference = bpf_csum_diff((__be32 *)&none, sizeof(none), (__be32 *)&sent, sizeof(sent), 0);
	if (difference < 0 ||
	    bpf_l4_csum_replace(skb, offset - 8 + 6, 0, (__u64)difference, BPF_F_MARK_MANGLED_0) ||
	    bpf_skb_store_bytes(skb, offset + RP_AT_SENT, &sent, sizeof(sent), 0)) {
		__sync_fetch_and_add(&sending.unstamped, 1);
		return 0;
	}
	sending.last_sent = now;
	__sync_fetch_and_add(&sending.references, 1);
	return 0;
}

SEC("tc")
int reference_tx(struct __sk_buff *skb)
{
	const __u32 segments = dp_segments(skb);
	struct dp_summary s = {0};
	struct dp_frame frame;
	__u64 before, wanted, event = 0;
	__u32 offset = 0;
	const __u8 *at;

	s.vlan = DP_NO_VLAN;
	if (rp_parse(skb, &frame, &s) == DP_FOUND)
		offset = rp_reference_at(&frame, &s);
	if (offset) {
		at = dp_at(&frame, offset, RP_PAYLOAD);
		if (at && dp_be16(at + RP_AT_SENDER) == config.own_sender &&
		    !dp_load64(at + RP_AT_SENT))
			stamp(skb, offset);
		return TC_ACT_UNSPEC; /* those of others are no regular packets either */
	}
	__sync_fetch_and_add(&sending.packets, segments);
	before = __sync_fetch_and_add(&sending.since, segments);
	wanted = *(volatile __u64 *)&sending.wake_after;
	if (wanted && before < wanted && before + segments >= wanted)
		bpf_ringbuf_output(&wake, &event, sizeof(event), BPF_RB_FORCE_WAKEUP);
	return TC_ACT_UNSPEC;
}
