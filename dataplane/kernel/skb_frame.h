/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/* Where the bytes of a packet at tc are: what machine.h asks of programs with an __sk_buff. */
#include <linux/bpf.h>

#include "dataplane/kernel/frame.h"

DP_INLINE void machine_frame(struct __sk_buff *skb, struct dp_frame *frame)
{
	frame->data = (const __u8 *)(long)skb->data;
	frame->end = (const __u8 *)(long)skb->data_end;
	frame->length = skb->len;
	frame->captured = (__u32)(frame->end - frame->data);
	frame->partial = frame->captured < frame->length;
}
