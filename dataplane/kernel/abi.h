/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/*
 * What the program in the kernel and the process that reads it share.  One C header for both
 * compilers; the sizes are asserted on both sides.
 *
 * Names begin with dp_ (data plane): this header is included by C++ and by C for BPF.
 */
#include <linux/types.h>

#ifdef __cplusplus
#define DP_ASSERT_SIZE(type, bytes) static_assert(sizeof(type) == (bytes))
#else
#define DP_ASSERT_SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type)
#endif

/* The numbers of core/kind.h: Kind and Leg. */
enum dp_kind {
	DP_TCP = 0,
	DP_HANDSHAKE = 1,
	DP_TCP_TS = 2,
	DP_DNS = 4,
	DP_NTP = 5,
	DP_ICMP = 6,
	DP_KINDS = 8,
};
enum dp_leg {
	DP_SERVER = 0,
	DP_CLIENT = 1,
	DP_SUM = 4,
};

/* The numbers of wire/skip.h: why a packet is not looked at any further. */
enum dp_skip {
	DP_NOT_PAIRED = 0,
	DP_NOT_WANTED = 1,
	DP_NOT_IP = 2,
	DP_FRAGMENT = 3,
	DP_UNKNOWN_ETHERTYPE = 5,
	DP_UNKNOWN_PROTOCOL = 6,
	DP_ENCRYPTED = 7,
	DP_COMPRESSED = 8,
	DP_TRUNCATED_LINK = 9,
	DP_TRUNCATED_IP = 10,
	DP_TRUNCATED_TRANSPORT = 12,
	DP_BAD_IP_VERSION = 13,
	DP_BAD_IP_LENGTH = 14,
	DP_BAD_TCP_OFFSET = 15,
	DP_BAD_UDP_LENGTH = 16,
	DP_TOO_DEEP = 18,
	DP_SKIPS = 24,
};

/*
 * Fridges of equal size.  A slot remembers how far each of them had got when its request came, 21
 * bits a fridge, so that one weight holds for all of them (dataplane/sample_weight.h).
 */
#define DP_MOST_FRIDGES 3
#define DP_AGE_BITS 21
#define DP_AGE_MASK ((1ull << DP_AGE_BITS) - 1)

#define DP_MOST_SHARDS 256
/* The value of a map begins 56 bytes into a cache line; its slots shall begin with the next. */
#define DP_VALUE_TO_LINE 8

/* Connections that share a hash live beside each other. */
#define DP_WAYS 4

#define DP_NO_VLAN 0xffff

/* Constant for the length of a run: in the program's read-only data, where the verifier and the
 * compiler of the kernel know the values. */
struct dp_config {
	__u64 secret[4]; /* odd: they are multiplied with */
	__u64 expire_ns;
	__u32 kinds;       /* a bit for each dp_kind that is wanted */
	__u32 full_size;   /* kind tcp: least IP length of a request, 0 for all */
	__u32 fridges;     /* 1 to DP_MOST_FRIDGES */
	__u32 home_end[2]; /* of 2^32: whose keys lie below belong to fridge 0, to fridge 1 */
	__u32 shards;      /* at most DP_MOST_SHARDS */
	__u32 shard_slots; /* of one shard of one fridge */
	__u32 age_shift;   /* insertions in one unit of a slot's age, as a power of two */
	__u32 buckets;     /* of DP_WAYS connections, a power of two */
	__u32 replay;      /* the packet brings its time: skb->tstamp, or metadata at XDP */
	__u32 apart;       /* each interface is a point of its own */
	__u32 steps;    /* benchmark: packets step their flow and sequence number by themselves */
	__u32 cpus;     /* entries of the counters */
	__u32 patience; /* expire_ns in ticks, rounded up */
	__u32 super_buckets;  /* of DP_WAYS directions with super-packets; may be 0 */
	__u32 asked_lines;    /* of DP_ASKED_WAYS queries and echoes without an answer; may be 0 */
	__u32 bins;           /* of one histogram; 0: samples are handed over one by one */
	__u32 keep_ambiguous; /* histograms count what Karn's rule leaves out */
	__u32 spare;
	__u8 histogram_of[DP_KINDS]; /* number of a kind's first histogram, that of leg 0 */
};
DP_ASSERT_SIZE(struct dp_config, 128);

/* Written by the process while the program runs. */
struct dp_control {
	/* A share of 2^32: requests with a coin below it are admitted.  64 bits: p = 1 is 2^32. */
	__u64 enter_below;
	/* The largest enter_below of the last expire_ns: what may still wait. */
	__u64 look_below;
	/* Coarse clocks, so that not every packet has to look at the fine one: steps of
	 * 2^DP_TICK_BITS ns, as CoarserTime has them (roundtrip/rules/coarse_time.h), and seconds.
	 */
	__u32 tick;
	__u32 seconds;
	/* Benchmark: packets do not step on in their sequence, and so are repeated. */
	__u32 hold;
	__u32 spare;
};
DP_ASSERT_SIZE(struct dp_control, 32);
#define DP_TICK_BITS 27

/* A request that waits. */
struct dp_slot {
	__u64 check; /* key ^ time_ns ^ ages ^ enter_below: a slot that two CPUs tore is no match */
	__u64 time_ns;
	__u64 ages;        /* insertions so far, DP_AGE_BITS for each fridge, fridge 0 lowest */
	__u32 enter_below; /* the plan that let it in; 0 is 2^32 */
	__u32 repeated;    /* seen again while it waited (Karn's rule) */
};
DP_ASSERT_SIZE(struct dp_slot, 32);

/* How many requests were written into each fridge of a shard: a cache line, so that one look gives
 * all of them.  One counter for all CPUs: counters per CPU would make every weight wrong. */
struct dp_shard {
	__u64 inserted[DP_MOST_FRIDGES];
	__u64 spare[5];
};
DP_ASSERT_SIZE(struct dp_shard, 64);

/* What one end of a connection has sent so far (roundtrip/rules/tcp_connection.h). */
struct dp_side {
	__u32 next_sequence; /* one past the highest byte sent */
	__u32 acknowledged;  /* the highest acknowledgment number sent */
	__u32 ts_value;      /* the newest TSval sent */
	__u32 ts_echo;       /* the last TSecr sent */
};

/* What is known of a side, one byte for each so that two CPUs do not write the same one. */
enum dp_known {
	DP_KNOWN_SEQUENCE = 1,
	DP_KNOWN_ACKNOWLEDGED = 2,
	DP_KNOWN_WINDOW_ZERO = 4,
	DP_KNOWN_TS_VALUE = 8,
	DP_KNOWN_TS_ECHO = 16,
	DP_KNOWN_TS_ASKED = 32, /* data carried its newest TSval first */
};
enum dp_ends {
	DP_CLIENT_KNOWN = 1, /* by a SYN or SYN-ACK */
	DP_CLIENT_IS_HIGH = 2,
	DP_SYN_SEEN = 4,
	DP_SYN_ACK_SEEN = 8,
	DP_CLIENT_GUESSED = 16,
	DP_HAS_SUPER_PACKETS = 32,
};

struct dp_connection {
	__u64 flow;             /* 0: free */
	__u32 tick;             /* when it was last seen */
	__u16 advanced[2];      /* when next_sequence of a side last moved on, in ticks */
	struct dp_side side[2]; /* 0: the lower end in the order of the flow's hash */
	__u8 known[2];
	__u8 ends;
	__u8 spare_byte;
	__u32 spare[3];
};
DP_ASSERT_SIZE(struct dp_connection, 64);

struct dp_bucket {
	struct dp_connection way[DP_WAYS];
};
DP_ASSERT_SIZE(struct dp_bucket, 256);

/*
 * The super-packets that one end of a connection has on their way, in order: a ring from `begin` to
 * `end` (roundtrip/rules/super_packets.h).  The CPU that sees data moves `end`, the one that sees
 * acknowledgments moves `begin`, so they need no lock.
 */
#define DP_SUPER_RING 64
#define DP_MOST_SUPER_PACKETS 61 /* as in user space */
struct dp_range {
	__u32 start, end;
};
struct dp_super_packets {
	__u64 flow; /* 0: free */
	__u32 tick;
	__u32 begin, end; /* modulo DP_SUPER_RING */
	__u32 answered;   /* `begin` + 1 if an acknowledgment has reached into the first */
	__u64 repeated;   /* bit per place of the ring */
	__u32 is_split;   /* they are surely no packets on the wire */
	__u32 spare[7];
	struct dp_range ranges[DP_SUPER_RING];
};
DP_ASSERT_SIZE(struct dp_super_packets, 576);
struct dp_super_bucket {
	struct dp_super_packets way[DP_WAYS];
};

/* Keys of queries and echoes without an answer (roundtrip/rules/asked_before.h): 48 bits of the key
 * and 16 bits of the second in which it was last seen; 0 is free. */
#define DP_ASKED_WAYS 8
struct dp_asked_line {
	__u64 way[DP_ASKED_WAYS];
};

/* A bit for each port that is a known service (roundtrip/rules/server_guess.h). */
struct dp_services {
	__u64 bits[1024];
};

/* Counted per CPU, by that CPU alone; whoever reads adds them up. */
struct dp_counters {
	__u64 packets; /* as on the wire: a segment that offloading will divide counts for its parts
			*/
	__u64 bytes;
	__u64 skipped[DP_SKIPS];
	__u64 asked[DP_KINDS];    /* requests, halves of spans left out */
	__u64 repeated[DP_KINDS]; /* of them, known to be sent again */
	__u64 unread;             /* matches that the ring had no room for */
	__u64 arrivals;    /* all requests, halves and repeats included: what the plan follows */
	__u64 samples;     /* handed over */
	__u64 turned_away; /* of the arrivals, by their coin */
	__u64 replaced;    /* connections that made room for others */
	__u64 super_packets;
	__u64 super_packets_left_out; /* too many on their way to be matched */
	/* With histograms only, where nobody else could count them. */
	__u64 ambiguous[DP_KINDS]; /* sum of weights */
	__u64 guessed[DP_KINDS];   /* samples whose leg is a guess */
	__u64 too_old;             /* samples that outlived what has a weight */
	__u64 spare[6];
};
DP_ASSERT_SIZE(struct dp_counters, 576);

/*
 * Histograms, where nobody wants single samples: sums over all CPUs, by atomic additions.  Weights
 * are whole numbers of 1/DP_WEIGHT_ONE (FRIDGE section 6.2).  Bins are those of
 * estimate/distribution/log_histogram.h, four of them a cell of flow_groups.h.
 */
#define DP_WEIGHT_ONE 256
#define DP_BIN_BITS 7 /* 2^7 bins an octave */
#define DP_BINS_A_CELL 4
struct dp_bin {
	__u64 weight;
	__u64 squares; /* of the weights, in 1/DP_WEIGHT_ONE as well */
	__u64 samples;
	__u64 spare;
};
DP_ASSERT_SIZE(struct dp_bin, 32);

/* How far flows differ is how far a figure can be trusted: weights by group of flows. */
#define DP_FLOW_GROUPS 32
struct dp_cell {
	__u64 weight[DP_FLOW_GROUPS];
};
/* One of 64 bits for each flow that was met, by group: how many flows there are. */
struct dp_marks {
	__u64 seen[DP_FLOW_GROUPS];
};

/*
 * Weights by the number of units of age survived: factor[dp_factor_place(age)].  A place is 1/64 of
 * its age wide at most.  0: too old to have a weight.
 */
#define DP_FACTOR_BITS 6
#define DP_FACTORS 1024
struct dp_factors {
	__u32 factor[DP_FACTORS];
};

enum dp_sample_flag {
	DP_SENT_BY_REQUESTER = 1,
	DP_REQUESTER_IS_SERVER = 2,
	DP_AMBIGUOUS = 4,
	DP_IPV6 = 8,
	DP_LEG_IS_GUESSED = 16,
};

/* A response that found its request.  Addresses and ports are those of the response, as on the
 * wire; IPv4 uses the first four bytes. */
struct dp_sample {
	__u64 time_ns; /* of the response, by the clock of the program */
	__s64 delay_ns;
	__u64 flow; /* keyed hash of both ends, the same in both directions */
	__u64 ages; /* insertions survived, packed as in dp_slot */
	__u32 enter_below;
	__u32 interface;
	__u8 source[16];
	__u8 destination[16];
	__be16 source_port;
	__be16 destination_port;
	__u16 vlan;
	__u8 kind;
	__u8 leg;
	__u8 flags;
	__u8 fridge;
	__u8 spare[6];
};
DP_ASSERT_SIZE(struct dp_sample, 88);
