/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/* TCP with timestamps, UDP with DNS and NTP, ICMP echo; and one hash for both directions. */
#include "dataplane/kernel/dns.h"
#include "dataplane/kernel/ip.h"

#define DP_PORT_DNS 53
#define DP_PORT_NTP 123
#define DP_ALIGNED_TIMESTAMPS 0x0101080a /* NOP, NOP, timestamps: RFC 7323 appendix A */

DP_INLINE int dp_wants(__u32 kind)
{
	return machine_config()->kinds >> kind & 1;
}
DP_INLINE int dp_wants_tcp(void)
{
	return (machine_config()->kinds & (1 << DP_TCP | 1 << DP_HANDSHAKE | 1 << DP_TCP_TS)) != 0;
}

/* Which end is the lower one is decided by address and port as they lie in memory: any order will
 * do if both directions agree. */
DP_INLINE void dp_set_flow(struct dp_summary *s, __u32 protocol)
{
	const volatile struct dp_config *config = machine_config();
	__u64 source = s->source[0], destination = s->destination[0], salt = protocol;

	if (s->is_ipv6) {
		source = dp_mix(source ^ config->secret[2]) + s->source[1];
		source = dp_mix(source) + s->source_port;
		destination = dp_mix(destination ^ config->secret[2]) + s->destination[1];
		destination = dp_mix(destination) + s->destination_port;
		salt |= 0x100;
	} else {
		source = source << 16 | s->source_port;
		destination = destination << 16 | s->destination_port;
	}
	s->sender = source > destination;
	s->to_itself = source == destination;
	if (config->apart)
		salt ^= (__u64)s->interface << 9;
	s->flow = s->sender ? dp_flow_hash(destination, source, salt)
			    : dp_flow_hash(source, destination, salt);
}

/* Options in another order than usual: SYN segments, selective acknowledgments.  A malformed one
 * ends the walk, as in any receiver.  `end` is where the TCP header ends. */
DP_FUNCTION int dp_read_options(dp_context *context, struct dp_summary *s, __u32 end)
{
	struct dp_frame frame;
	__u32 offset;
	int options;

	if (!s)
		return 0;
	machine_frame(context, &frame);
	frame.captured = s->captured;
	offset = s->offset + 20;
	if (end > frame.captured)
		end = frame.captured;
	for (options = 0; options < 40; options++) {
		const __u8 *at = dp_at(&frame, offset, 2);
		__u32 nop, step;

		if (!at || offset + 2 > end || at[0] == 0)
			return 0;
		if (at[0] == 8 && at[1] == 10) {
			at = dp_at(&frame, offset, 10);
			if (!at || offset + 10 > end)
				return 0;
			s->has_timestamps = 1;
			s->ts_value = dp_be32(at + 2);
			s->ts_echo = dp_be32(at + 6);
			return 0;
		}
		/* A step of one after NOP (1), else as stated.  Not by a branch, or the verifier
		 * follows both ways at every option. */
		nop = (((__u32)at[0] ^ 1) - 1) >> 31;
		DP_OPAQUE(nop);
		step = at[1] - nop * (at[1] - 1u);
		DP_OPAQUE(step);
		if (step + nop < 2 || offset + step > end)
			return 0;
		offset += step;
	}
	return 0;
}

DP_INLINE int dp_read_tcp(dp_context *context, const struct dp_frame *frame, struct dp_summary *s)
{
	const __u32 offset = s->offset;
	const __u8 *at = dp_at(frame, offset, 20);
	__u32 header;

	if (!at)
		return DP_TRUNCATED_TRANSPORT;
	if (!dp_wants_tcp())
		return DP_NOT_WANTED;
	header = (at[12] >> 4) * 4;
	if (header < 20 || header > s->rest)
		return DP_BAD_TCP_OFFSET;
	s->source_port = dp_load16(at);
	s->destination_port = dp_load16(at + 2);
	s->sequence = dp_be32(at + 4);
	s->acknowledgment = dp_be32(at + 8);
	s->tcp_flags = at[13];
	s->window = (__u16)dp_be16(at + 14);
	s->content = DP_CONTENT_TCP;
	s->payload = s->rest - header;
	s->has_timestamps = 0;
	if (header > 20 && dp_wants(DP_TCP_TS)) {
		at = dp_at(frame, offset + 20, 12);
		if (header == 32 && at && dp_be32(at) == DP_ALIGNED_TIMESTAMPS) {
			s->has_timestamps = 1;
			s->ts_value = dp_be32(at + 4);
			s->ts_echo = dp_be32(at + 8);
		} else {
			dp_read_options(context, s, offset + header);
		}
	}
	dp_set_flow(s, DP_IP_TCP);
	return DP_FOUND;
}

/* Modes 3 and 1 ask, 4 and 2 answer; the response repeats the request's transmit timestamp
 * (RFC 5905 section 8). */
DP_INLINE int dp_read_ntp(const struct dp_frame *frame, struct dp_summary *s, __u32 offset,
			  __u32 length)
{
	const __u8 *at;
	__u32 mode;

	if (!dp_wants(DP_NTP))
		return DP_NOT_WANTED;
	if (length < 48)
		return DP_NOT_PAIRED;
	at = dp_at(frame, offset, 48);
	if (!at)
		return DP_TRUNCATED_TRANSPORT;
	mode = at[0] & 7;
	s->kind = DP_NTP;
	if (mode == 3 || mode == 1) {
		s->content = DP_CONTENT_REQUEST;
		s->token = dp_load64(at + 40);
	} else if (mode == 4 || mode == 2) {
		s->content = DP_CONTENT_RESPONSE;
		s->token = dp_load64(at + 24);
	} else {
		return DP_NOT_PAIRED;
	}
	return DP_FOUND;
}

DP_INLINE int dp_read_udp(dp_context *context, struct dp_frame *frame, struct dp_summary *s)
{
	const __u32 offset = s->offset;
	const __u8 *at = dp_at(frame, offset, 8);
	__u32 source, destination, stated, length = s->rest - 8, response = 0;
	__u64 token = 0;
	int reason;

	if (!at || s->rest < 8)
		return DP_TRUNCATED_TRANSPORT;
	s->source_port = dp_load16(at);
	s->destination_port = dp_load16(at + 2);
	source = dp_be16(at);
	destination = dp_be16(at + 2);
	stated = dp_be16(at + 4);
	if (stated && stated < 8)
		return DP_BAD_UDP_LENGTH;
	if (stated && stated - 8 < length)
		length = stated - 8;
	dp_end_at(frame, s, offset + 8 + length);

	if (source == DP_PORT_DNS || destination == DP_PORT_DNS) {
		if (!dp_wants(DP_DNS))
			return DP_NOT_WANTED;
		reason = dp_read_dns(context, frame, offset + 8, length, &token, &response);
		s->token = token;
		s->kind = DP_DNS;
		s->content = response ? DP_CONTENT_RESPONSE : DP_CONTENT_REQUEST;
	} else if (source == DP_PORT_NTP || destination == DP_PORT_NTP) {
		reason = dp_read_ntp(frame, s, offset + 8, length);
	} else {
		reason = DP_NOT_PAIRED;
	}
	if (reason == DP_FOUND)
		dp_set_flow(s, DP_IP_UDP);
	return reason;
}

DP_INLINE int dp_read_icmp(const struct dp_frame *frame, struct dp_summary *s)
{
	const __u32 request = s->protocol == DP_IP_ICMP ? 8 : 128;
	const __u32 reply = s->protocol == DP_IP_ICMP ? 0 : 129;
	const __u8 *at = dp_at(frame, s->offset, 1);
	__u32 type;

	if (!dp_wants(DP_ICMP))
		return DP_NOT_WANTED;
	if (!at)
		return DP_TRUNCATED_TRANSPORT;
	type = at[0];
	/* Errors quote the packet they complain about.  That packet was not sent here and now. */
	if (type != request && type != reply)
		return DP_NOT_PAIRED;
	at = dp_at(frame, s->offset, 8);
	if (!at)
		return DP_TRUNCATED_TRANSPORT;
	s->kind = DP_ICMP;
	s->content = type == request ? DP_CONTENT_REQUEST : DP_CONTENT_RESPONSE;
	s->token = dp_load32(at + 4); /* identifier and sequence number */
	s->source_port = s->destination_port = 0;
	dp_set_flow(s, s->protocol);
	return DP_FOUND;
}

/* All that is not TCP. */
DP_FUNCTION int dp_read_datagram(dp_context *context, struct dp_summary *s)
{
	struct dp_frame frame;

	if (!s)
		return DP_TRUNCATED_TRANSPORT;
	machine_frame(context, &frame);
	frame.captured = s->captured;
	if (s->protocol == DP_IP_UDP)
		return dp_read_udp(context, &frame, s);
	if (s->protocol == DP_IP_ICMP || s->protocol == DP_IP_ICMPV6)
		return dp_read_icmp(&frame, s);
	return dp_reason_of_protocol(s->protocol);
}

/* From the first byte to all that the rules need; or why not. */
DP_INLINE int dp_parse(dp_context *context, struct dp_summary *s)
{
	struct dp_frame frame;
	int reason;

	machine_frame(context, &frame);
	reason = dp_read_link(context, &frame, s);
	if (reason != DP_FOUND)
		return reason;
	reason =
		s->type == DP_ETH_IPV4 ? dp_read_ipv4(&frame, s) : dp_read_ipv6(context, &frame, s);
	if (reason != DP_FOUND)
		return reason;
	return s->protocol == DP_IP_TCP ? dp_read_tcp(context, &frame, s)
					: dp_read_datagram(context, s);
}
