/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/*
 * What the program that selects packets by their hash and the process that reads it share
 * (docs/design/dataplane.md, "Points").
 */
#include <linux/types.h>

#include "dataplane/kernel/abi.h"

/* The label covers this much of what follows the IP header (oneway/label_options.h). */
#define DP_LABEL_PAYLOAD 40

/* Constant for the length of a run. */
struct dp_select_config {
	__u32 init;   /* of the label that selects: the secret */
	__u32 max;    /* selected is whose label is not above */
	__u32 replay; /* the packet brings its time: skb->tstamp */
	__u32 steps;  /* benchmark: every run has another label */
	__u32 cpus;   /* entries of the counters */
	__u32 spare;
	__u64 tunnel_ports[1024]; /* a bit for each port of UDP that may carry another IP packet */
};
DP_ASSERT_SIZE(struct dp_select_config, 24 + 8192);

/* Counted per CPU.  seen = not_selected + selected + undecided, unread ones among the last two. */
struct dp_select_counters {
	__u64 seen;
	__u64 bytes;
	__u64 not_selected;
	__u64 selected;
	__u64 undecided; /* handed over whole, for the process to decide */
	__u64 unread;    /* that the ring had no room for */
	__u64 spare[2];
};
DP_ASSERT_SIZE(struct dp_select_counters, 64);

/*
 * A packet that is selected, or that only the process can tell: its beginning follows.  The process
 * reads it as it reads any captured packet, so a record is the same wherever it was selected.
 */
struct dp_handed {
	__u64 time_ns; /* by the clock of the program */
	__u32 length;  /* of the frame */
	__u32 captured;
	__u32 label; /* that selected it */
	__u32 is_decided;
};
DP_ASSERT_SIZE(struct dp_handed, 24);
/* Two tags, the longest IPv4 header and what the label covers make 122 bytes. */
#define DP_DECIDED_BYTES 128
#define DP_UNDECIDED_BYTES 2048 /* as much as the socket engine sees */
struct dp_handed_decided {
	struct dp_handed head;
	__u8 bytes[DP_DECIDED_BYTES];
};
struct dp_handed_undecided {
	struct dp_handed head;
	__u8 bytes[DP_UNDECIDED_BYTES];
};
