/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/*
 * What the programs for reference packets (RLI) and the processes beside them share.  One C header
 * for both compilers.  Names begin with rp_ (reference packets).
 */
#include "dataplane/kernel/abi.h"
#include "dataplane/kernel/pair_hash.h"

/* wire/headers/reference_packet.h: the UDP payload of a reference packet. */
#define RP_MAGIC 0x534a5246
#define RP_VERSION 1
#define RP_PAYLOAD 20
#define RP_AT_SENDER 6
#define RP_AT_SEQUENCE 8
#define RP_AT_SENT 12
#define RP_PORT 4747

/*
 * A gap is the time between two reference packets.  Past ones stay in a ring until they are
 * overwritten, so that a flow can be settled when it next sends.
 */
struct rp_gap {
	__u64 time_ns; /* arrival of the reference packet that began it */
	__s64 left_ns; /* that packet's delay, less rp_shared.base_ns */
	__s64 slope;   /* of the delay, in 2^-32 ns a ns; known once the gap is closed */
	__u32 number;  /* from 1; 0 while it is written */
	__u32 is_closed;
};
DP_ASSERT_SIZE(struct rp_gap, 32);
#define RP_GAPS (1u << 16)

/*
 * A flow, in two cache lines.  The first has all that a flow needs that sends one packet in a gap,
 * as most do if there are many: what waits until the gap's slope is known, and what is known for
 * good.  t counts from the gap's beginning, z is what a packet takes longer on the link than a
 * reference packet.  Delays are less rp_shared.base_ns and in 2^-16 ns, in 96 bits; their squares
 * in 2^-32 ns^2, in 128 bits; both in two's complement.
 */
struct rp_flow {
	__u64 flow; /* keyed hash of the 5-tuple and the CPU; 0: free */
	__u32 gap;
	__u16 waiting; /* packets of that gap */
	__u16 touched; /* written so that the line comes; means nothing */
	__u64 times;   /* sum of t */
	__s64 left_ns; /* the gap's; and z, as long as one packet waits */
	__u64 delays_low;
	__s32 delays_high;
	__u32 estimated;
	__u64 delay_squares_low;
	__s64 delay_squares_high;

	/* Of several packets in one gap. */
	__u64 time_squares_low, time_squares_high;
	__s64 sizes;        /* sum of z */
	__s64 size_times;   /* sum of t z */
	__u64 size_squares; /* sum of z^2 */
	/* Rare. */
	__u64 left_only; /* of those estimated: by the reference packet before them alone (RLI-L) */
	__u64 outside;   /* neither estimated nor waiting */
	__u32 estimated_high; /* how often `estimated` began anew */
	__u32 touched_too;    /* likewise */
};
DP_ASSERT_SIZE(struct rp_flow, 128);

/* Flows that share a hash live beside each other. */
#define RP_WAYS 4
struct rp_group {
	struct rp_flow way[RP_WAYS];
};

/* Whose record it is; written once. */
struct rp_key {
	__u8 source[16], destination[16]; /* IPv4 uses the first four bytes */
	__be16 source_port, destination_port;
	__u8 protocol, is_ipv6;
	__u16 spare;
};
DP_ASSERT_SIZE(struct rp_key, 40);

/* Constant for the length of a run. */
struct rp_config {
	struct dp_pair_secrets secrets; /* of flows */
	__u64 ns_a_byte;                /* of the link, in 2^-RP_BYTE_BITS ns; 0: unknown */
	__u32 groups;                   /* of one of the two tables; a power of two */
	__u32 overhead;                 /* bytes that a packet takes on the link beside its own */
	__u32 least_bytes;              /* and no packet takes less */
	__u32 reference_line_bytes;     /* what a reference packet takes */
	__u32 replay;                   /* the packet brings its time: skb->tstamp */
	__u32 steps;                    /* benchmark: step through so many flows */
	__u32 cpus;
	__u32 own_sender; /* the sending program: whose packets get a time */
};
DP_ASSERT_SIZE(struct rp_config, 200);
#define RP_BYTE_BITS 20
#define RP_ANY_SENDER 0xffffffff

/* In memory that the process maps. */
struct rp_shared {
	/* Written by the process. */
	__s64 clock_offset_ns; /* from the program's clock (TAI) to that of captures (UTC) */
	__u32 table;           /* 0 or 1: where flows are kept now; the other one is being read */
	__u32 is_sender_fixed; /* no other one takes over, however long it is silent */
	/* Written by the program that receives, when a reference packet comes. */
	__u32 current; /* number of the open gap; 0: none yet */
	__u32 is_busy;
	__s64 base_ns; /* delay of the first reference packet, until rp_turn() renews it */
	__u64 last_sent;
	__u32 last_sequence;
	__u32 sender; /* whose reference packets count; RP_ANY_SENDER: the next one met */
	__s64 wanted_base_ns;
	__u32 is_base_wanted;
	__u32 spare;
};
DP_ASSERT_SIZE(struct rp_shared, 64);

/* Counted per CPU.  packets = no_room + those of the flows' records; of these, before_first and
 * after_last are not estimated. */
struct rp_counters {
	__u64 packets; /* regular ones, as on the wire */
	__u64 no_room;
	__u64 before_first;
	__u64 references;
	__u64 references_lost;      /* by their sequence numbers */
	__u64 references_reordered; /* overtaken by a later one, or twice the same */
	__u64 references_of_others;
	__u64 references_off; /* delay 17 s or more off the first one's: a clock was set */
	__u64 skipped[DP_SKIPS];
	__u64 after_last; /* so long that nobody knows the delay */
	__u64 step;       /* of a benchmark */
	__u64 spare[6];
};
DP_ASSERT_SIZE(struct rp_counters, 320);

/* The sending program: what has passed since the last reference packet, and when to wake up the
 * process. */
struct rp_sending {
	/* Written by the process. */
	__s64 clock_offset_ns;
	__u64 wake_after; /* packets; 0: never */
	/* Written by both: the process begins anew. */
	__u64 since;
	/* Written by the program. */
	__u64 packets;
	__u64 references; /* stamped */
	__u64 unstamped;  /* ours, but the time could not be written */
	__u64 last_sent;
	__u64 spare;
};
DP_ASSERT_SIZE(struct rp_sending, 64);
