/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/* Which end is the server if no SYN told (roundtrip/rules/server_guess.h). */
#include "dataplane/kernel/summary.h"

#define DP_PORT_NFS 2049

DP_INLINE __u32 dp_service_rank(const struct dp_services *services, __u32 port)
{
	if (port == DP_PORT_NFS)
		return 4; /* above services: its clients take any port below 1024 */
	if (services->bits[port >> 6 & 1023] >> (port & 63) & 1)
		return 3;
	return port < 1024 ? 2 : port < 32768 ? 1 : 0;
}

/* DP_CLIENT_GUESSED, and DP_CLIENT_IS_HIGH if it is. */
DP_FUNCTION int dp_guess_client(const struct dp_summary *s)
{
	const struct dp_services *services = machine_services();
	__u32 source, destination, source_rank, destination_rank, source_is_server;

	if (!s || !services)
		return DP_CLIENT_GUESSED;
	source = __builtin_bswap16(s->source_port);
	destination = __builtin_bswap16(s->destination_port);
	source_rank = dp_service_rank(services, source);
	destination_rank = dp_service_rank(services, destination);
	source_is_server = source_rank != destination_rank ? source_rank > destination_rank
							   : source <= destination;
	return DP_CLIENT_GUESSED | (source_is_server == !(s->sender & 1) ? DP_CLIENT_IS_HIGH : 0);
}
