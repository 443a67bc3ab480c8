// SPDX-License-Identifier: GPL-2.0
/*
 * Alternate marking where the packets pass, at tc: the first node sets the bits and counts, those
 * between count, the last one takes the bits away (docs/design/marking.md).
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include "dataplane/kernel/marking/carrier.h"
#include "dataplane/kernel/marking/clock.h"
#include "dataplane/kernel/marking/copies.h"
#include "dataplane/kernel/marking/count.h"
#include "dataplane/kernel/marking/option_room.h"
#include "dataplane/kernel/segments.h"

enum mk_left_alone { MK_NOT_IP, MK_NO_PLACE, MK_NO_ROOM, MK_LOCAL, MK_UNMONITORED, MK_UNREAD };

DP_INLINE void leave_alone(enum mk_left_alone why, __u32 segments)
{
	struct mk_counters *here = mk_counters_here();

	if (!here)
		return;
	if (why == MK_NOT_IP)
		here->not_ip += segments;
	else if (why == MK_NO_PLACE)
		here->no_carrier += segments;
	else if (why == MK_NO_ROOM)
		here->no_room += segments;
	else if (why == MK_LOCAL)
		here->local += segments;
	else if (why == MK_UNMONITORED)
		here->no_flow += segments;
	else
		here->unread += segments;
}

/* The field has another meaning: what the marking point leaves alone is not counted at others. */
DP_INLINE void count_other(struct mk_slot *slot, int is_marked_already, __u32 segments)
{
	mk_add(is_marked_already ? &slot->contrary : &slot->other, segments);
}

DP_INLINE void initiate(struct __sk_buff *skb, const struct mk_packet *packet,
			const struct mk_transport *transport, struct mk_slot *slot,
			__u64 quarters, const volatile struct mk_place *place, __u32 segments)
{
	const __u32 word = mk_word(packet, place);
	int copy = 0;
	__u32 action;

	if (!config.force && word & place->field) {
		count_other(slot, !(word & place->field & ~(place->first | place->second)),
			    segments);
		return;
	}
	if (config.copies)
		copy = mk_repeats(skb, packet, transport);
	action = mk_initiate(skb, slot, quarters, segments);
	mk_count_marked(skb, slot, action, segments, copy);
	action ^= config.flip ^ (mk_step(1) & 1);
	mk_write(skb, packet, word, mk_with_mark(word, action & MK_MARK_BITS, place), place);
}

DP_INLINE void observe(struct __sk_buff *skb, const struct mk_packet *packet,
		       const struct mk_transport *transport, const struct mk_flow *flow,
		       __u64 quarters, const volatile struct mk_place *place, __u32 segments)
{
	const __u32 word = mk_word(packet, place) ^ (mk_step(1) & 1 ? place->first : 0);
	/* A benchmark has a mark to take away from every second packet, of the interval's colour:
	 * for another one the clock is read. */
	const __u32 mark = config.steps ? quarters >> 2 & 1 : mk_mark_in(word, place);
	int copy = 0;

	if (!config.force && word & place->field & ~(place->first | place->second)) {
		count_other(flow->slot, 0, segments);
		return;
	}
	if (config.copies)
		copy = mk_repeats(skb, packet, transport);
	mk_count_observed(skb, flow, quarters, mark ^ config.flip, segments, copy);
	if (config.role == MK_RESTORE)
		mk_write(skb, packet, word, mk_with_mark(word, 0, place), place);
}

/* The same with the option of IPv6, which is put in and taken out. */
DP_INLINE void initiate_option(struct __sk_buff *skb, const struct mk_packet *packet,
			       const struct mk_transport *transport, const struct mk_option *option,
			       struct mk_slot *slot, __u64 quarters, __u32 segments)
{
	const volatile struct mk_place *place = &config.place[1];
	__u32 action, data = option->data;
	int copy = 0;

	if (option->data_at && !config.force) {
		count_other(slot, 1, segments);
		return;
	}
	if (!option->data_at) {
		const __u32 parts = mk_divided(skb, packet, transport, option, segments);

		if (option->refused) {
			leave_alone(MK_NO_PLACE, segments);
			return;
		}
		if (!parts || (parts == 1 && !mk_fits(skb))) {
			leave_alone(MK_NO_ROOM, segments);
			return;
		}
		segments = parts;
		data = (config.flow_id + slot->flow) << 12;
	}
	if (config.copies)
		copy = mk_repeats(skb, packet, transport);
	action = mk_initiate(skb, slot, quarters, segments);
	data = mk_with_mark(data, (action ^ config.flip) & MK_MARK_BITS, place);
	if (option->data_at)
		mk_store_option(skb, option, data);
	else if (mk_insert_option(skb, option, data)) {
		leave_alone(MK_NO_ROOM, segments);
		return;
	}
	mk_count_marked(skb, slot, action, segments, copy);
}

DP_INLINE void observe_option(struct __sk_buff *skb, const struct mk_packet *packet,
			      const struct mk_transport *transport, const struct mk_option *option,
			      const struct mk_flow *flow, __u64 quarters, __u32 role,
			      __u32 segments)
{
	const volatile struct mk_place *place = &config.place[1];
	const __u32 mark = config.steps ? quarters >> 2 & 1 : mk_mark_in(option->data, place);
	int copy = 0;

	if (!option->data_at) {
		leave_alone(MK_NO_PLACE, segments);
		return;
	}
	if (config.copies)
		copy = mk_repeats(skb, packet, transport);
	mk_count_observed(skb, flow, quarters, mark ^ config.flip, segments, copy);
	if (role == MK_RESTORE && mk_remove_option(skb, option))
		mk_store_option(skb, option, mk_with_mark(option->data, 0, place));
}

DP_INLINE void look_at(struct __sk_buff *skb, const struct mk_packet *packet, __u32 role,
		       __u32 segments)
{
	const volatile struct mk_place *place =
		packet->is_ipv6 ? &config.place[1] : &config.place[0];
	struct mk_transport transport = {0};
	const __u64 quarters = mk_quarters(skb);
	struct mk_option option;
	struct mk_flow flow;

	if (config.leave_local &&
	    (packet->is_ipv6 ? mk_is_local6(packet->ip, packet->end) : mk_is_local4(packet->ip))) {
		leave_alone(MK_LOCAL, segments);
		return;
	}
	option.data = 0;
	if (config.has_option && packet->is_ipv6)
		mk_find_option(skb, packet, &option);
	if (!config.any_transport || config.copies || config.has_option)
		mk_find_transport(packet, &transport);
	mk_find_flow(packet, &transport, option.data >> 12, quarters >> 2, &flow);
	if (!flow.slot) {
		leave_alone(MK_UNMONITORED, segments);
		return;
	}
	if (!place->possible) {
		leave_alone(MK_NO_PLACE, segments);
		return;
	}
	if (config.has_option) {
		if (role == MK_MARK)
			initiate_option(skb, packet, &transport, &option, flow.slot, quarters,
					segments);
		else
			observe_option(skb, packet, &transport, &option, &flow, quarters, role,
				       segments);
	} else if (role == MK_MARK) {
		initiate(skb, packet, &transport, flow.slot, quarters, place, segments);
	} else {
		observe(skb, packet, &transport, &flow, quarters, place, segments);
	}
}

DP_INLINE void pass_by(struct __sk_buff *skb, __u32 role)
{
	const __u32 segments = dp_segments(skb);
	struct mk_packet packet;

	mk_find(skb, &packet);
	if (packet.cut && skb->len > (__u32)(skb->data_end - skb->data)) {
		/* Some drivers leave all but the first bytes in pages of their own. */
		if (!bpf_skb_pull_data(skb, skb->len < MK_HEADERS ? skb->len : MK_HEADERS))
			mk_find(skb, &packet);
	}
	if (packet.ip)
		look_at(skb, &packet, role, segments);
	else
		leave_alone(packet.cut ? MK_UNREAD : MK_NOT_IP, segments);
}

SEC("tc")
int marking_tc(struct __sk_buff *skb)
{
	pass_by(skb, config.role);
	return TC_ACT_UNSPEC; /* whoever comes next decides */
}

#include "dataplane/kernel/marking/bench.h"
