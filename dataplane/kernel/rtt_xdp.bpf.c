// SPDX-License-Identifier: GPL-2.0
/*
 * The same at XDP, before the kernel has made anything of the packet: for a mirror port, where both
 * directions come in.
 */
#include <linux/bpf.h>
#define dp_context struct xdp_md
#include "dataplane/kernel/kernel_machine.h"
#include "dataplane/kernel/program.h"

DP_INLINE void machine_frame(struct xdp_md *xdp, struct dp_frame *frame)
{
	frame->data = (const __u8 *)(long)xdp->data;
	frame->end = (const __u8 *)(long)xdp->data_end;
	frame->captured = frame->length = (__u32)(frame->end - frame->data);
	frame->partial = 0;
}

SEC("xdp")
int rtt_xdp(struct xdp_md *xdp)
{
	struct dp_summary s = {0};
	const __u64 *time = (const __u64 *)(long)xdp->data_meta;
	const __u64 length = xdp->data_end - xdp->data;
	int reason;

	if (config.replay && (const void *)(time + 1) <= (const void *)(long)xdp->data)
		s.time_ns = *time;
	s.interface = xdp->ingress_ifindex;
	s.vlan = DP_NO_VLAN;
	reason = dp_parse(xdp, &s);
	dp_step(&s);
	dp_look_at(&s, reason, 1, length);
	return XDP_PASS;
}

SEC("xdp")
int empty_xdp(struct xdp_md *xdp)
{
	return XDP_PASS;
}
