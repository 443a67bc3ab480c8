/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/* What the rules need to know of one packet (wire/summary.h, as far as the kernel goes). */
#include "dataplane/kernel/machine.h"

enum dp_content {
	DP_CONTENT_TCP = 0,
	DP_CONTENT_REQUEST = 1, /* of an exchange: one packet asks, one answers */
	DP_CONTENT_RESPONSE = 2,
};

enum dp_tcp_flag {
	DP_FIN = 1,
	DP_SYN = 2,
	DP_RST = 4,
	DP_ACK = 16,
};

struct dp_summary {
	__u64 time_ns; /* of a replay */
	__u64 flow;
	__u64 token; /* of an exchange */
	__u64 source[2], destination[2];
	__u32 sequence, acknowledgment;
	__u32 ts_value, ts_echo;
	__u32 payload, ip_length;
	/* The position in the headers.  It is kept in memory because the verifier does not track
	 * what a function writes to memory: each header is then verified once, not once for each
	 * path that leads to it. */
	__u32 offset;   /* of the header that comes next */
	__u32 rest;     /* bytes from there to the end of the IP packet on the wire */
	__u32 captured; /* bytes of the frame that may be read; an inner length lowers it */
	__u32 interface;
	__u32 part; /* payload of the segments that it will be divided into, or was joined from */
	__u32 spare;
	__u16 type;     /* EtherType */
	__u16 protocol; /* of IP */
	__u16 vlan, window;
	__be16 source_port, destination_port;
	__u8 content, kind; /* kind: of an exchange */
	__u8 tcp_flags;
	__u8 sender;    /* 0: the lower end sent it */
	__u8 to_itself; /* both ends are the same */
	__u8 has_timestamps, is_ipv6, first_fragment;
};
DP_ASSERT_SIZE(struct dp_summary, 128);

/* Arguments that travel as one number. */
#define DP_WHAT(kind, leg, flags) ((kind) | (leg) << 8 | (flags) << 16)

/* RFC 1982: "newer" is at most 2^31 ahead, as in tcp_connection.h. */
DP_INLINE int dp_is_newer(__u32 a, __u32 b)
{
	return (__s32)(b - a) < 0;
}
