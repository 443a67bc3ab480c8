/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/*
 * Alternate marking: what the program in the kernel and the process that reads it share.
 *
 * The process decides everything that can be decided before the first packet: the paper's tables as
 * bytes (oneway/marking/marking_rules.h), where in a header the bits are, which bits of a packet
 * tell its flow.  The program looks up and counts.
 */
#include "dataplane/kernel/pair_hash.h"
#include <linux/types.h>

#ifdef __cplusplus
#define MK_ASSERT_SIZE(type, bytes) static_assert(sizeof(type) == (bytes))
#else
#define MK_ASSERT_SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type)
#endif

enum mk_role {
	MK_MARK = 0,
	MK_OBSERVE = 1,
	MK_RESTORE = 2, /* observes, and takes the bits away */
};

/* One row of a table, as a byte. */
enum mk_action {
	MK_MARK_BITS = 3,  /* initiating: what the packet carries from here on */
	MK_REGISTER = 4,   /* initiating: what the flow remembers */
	MK_COLOUR = 8,     /* observing: the colour that it counts for */
	MK_TIMESTAMP = 16, /* a pulse: its time is taken */
};

/* Where the marks are in a header of one IP version: a word in network order, as a number. */
struct mk_place {
	__u32 possible;
	__u32 offset;        /* of the word, 0 or 4 */
	__u32 first, second; /* its bits */
	__u32 field;         /* all bits of the field that they are part of */
};

/* Bits of a packet that identify some flows: addresses as in the header (IPv4: both in the first
 * word), and MK_REST. */
struct mk_bits {
	__u64 addresses[4];
	__u64 rest;
};
#define MK_REST(source_port, destination_port, protocol)                                           \
	((__u64)(source_port) << 44 | (__u64)(destination_port) << 28 | (__u64)(protocol) << 20)

#define MK_MOST_SHAPES 32
struct mk_shape {
	struct mk_bits mask;
	__u64 start[2]; /* of the sums: no two shapes tell flows by the same tags */
};

struct mk_config {
	__u64 base_ns;      /* pulses' times are counted from here, so that sums stay small */
	__u64 latest_pulse; /* from the interval's start, ns */
	__u32 exponent;     /* of the interval, 2^n seconds, plus 10 */
	__u32 role;
	__u32 force;         /* mark, and count, whatever the field means */
	__u32 has_colour;    /* pulse marking has none */
	__u32 flip;          /* bits to turn round: reversed colours */
	__u32 all_traffic;   /* one flow, which nobody needs to look up */
	__u32 any_transport; /* no flow is told by protocol or ports */
	__u32 leave_local;   /* what routers do not pass on is not marked and not counted */
	__u32 has_pulses;    /* step marking has none */
	__u32 first_shape[2], end_shape[2]; /* of IPv4 and of IPv6 */
	__u32 places;                       /* of flows, in each interval */
	__u32 displacements;                /* a power of two */
	__u32 slots;                        /* intervals that are kept; a power of two */
	__u32 stripes; /* of counters, so that CPUs do not wait for each other; a power of two */
	__u32 is_contended;              /* several CPUs may count in one stripe */
	__u32 has_option, option_header; /* IPv6 option: 0 for every hop, 60 for the destination */
	__u32 flow_id;                   /* that it says of the first flow */
	__u32 uses_flow_id;              /* flows are told by it */
	__u32 copies;                    /* look for packets that come twice */
	__u32 secret;                    /* of their identities */
	__u32 replay;                    /* a packet's own time instead of the clock */
	__u32 steps;                     /* benchmarks: packets step through so many source ports */
	__u32 shift;                     /* of distances: so many bits less than ns */
	__u8 initiating[16];             /* by register and time bits */
	__u8 observing[32];              /* by mark and time bits */
	__u8 awaiting[8]; /* by colour: the register while a pulse is still to come */
	struct mk_place place[2];
	struct dp_pair_secrets secrets; /* of tags */
	struct mk_shape shape[MK_MOST_SHAPES];
};

/*
 * What is counted of a flow in an interval: one cache line, and the only one that most packets
 * touch.  Numbers that grow with every packet never go back: each is written by one CPU, without
 * a lock, and the reader remembers what it has seen.  The others it takes out when the interval is
 * over.
 */
struct mk_slot {
	__u64 tag;     /* whose it is; 0: nobody's.  Written by the process */
	__u64 packets; /* grows */
	union {
		__u64 middle;  /* observing: in the second quarter, where no packet is late, early
				  or a pulse; grows */
		__u64 settled; /* marking: an interval, plus one, whose pulse has been sent */
	};
	__u64 contrary;  /* of the middle with the other colour; marking: left alone, since their
			    bits are set */
	__u64 other;     /* left alone: the field says something else */
	__u64 pulses;    /* and above MK_REPEATS_SHIFT: packets that came just before */
	__u64 pulse_sum; /* times from base_ns */
	union {
		__u32 late; /* observing: how far outside of the interval, and one more; in
			       mk_config.shift */
		__u32 flow; /* marking: its number.  Written by the process */
	};
	__u32 early; /* likewise */
};
MK_ASSERT_SIZE(struct mk_slot, 64);

#define MK_REPEATS_SHIFT 32

/* A packet that passed, by its identity. */
struct mk_seen {
	__u64 identity, time;
};
#define MK_SEEN 65536

/* Packets that are in no slot. */
struct mk_counters {
	__u64 not_ip, no_flow, no_carrier, local, unread;
	__u64 super_pulses; /* packets that could have been the pulse, if they were one packet */
	__u64 steps;        /* of a benchmark */
	__u64 no_room;      /* with the option the packet would be too long */
};
MK_ASSERT_SIZE(struct mk_counters, 64);

/* Turned by a timer, so that a packet costs no look at the clock. */
struct mk_clock {
	__u64 quarters; /* of an interval, since 1970: its number, and two bits */
	__u64 late_ns;  /* how late it was turned, at most; the reader sets it back */
	__u64 turns;
	__u64 is_set;
	__s64 offset_ns; /* written by the process: what the kernel's clock (TAI) lacks to ours */
};
