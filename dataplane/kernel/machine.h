/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/*
 * The functions that the shared headers need from their environment.  kernel_machine.h implements
 * them with maps and helpers, dataplane/test_user_program.cpp with plain memory.  All code that
 * determines a number is above this interface and exists once.
 */
#include "dataplane/kernel/abi.h"
#include "dataplane/kernel/compilers.h"

struct dp_summary;
struct dp_frame;

/* Whatever the packet is read from: __sk_buff, xdp_md, or a frame itself.  Each of the kernel's two
 * programs says so before it includes this. */
#ifndef dp_context
#define dp_context struct dp_frame
#endif

DP_INLINE const volatile struct dp_config *machine_config(void);
DP_INLINE struct dp_control *machine_control(void);
DP_INLINE struct dp_counters *machine_counters(void);
/* `part`: fridge and shard. */
DP_INLINE struct dp_slot *machine_slot(__u32 part, __u64 slot);
DP_INLINE struct dp_shard *machine_shard(__u32 index);
DP_INLINE struct dp_bucket *machine_bucket(__u32 index);
DP_INLINE struct dp_super_bucket *machine_super_bucket(__u32 index);
DP_INLINE struct dp_asked_line *machine_asked_line(__u32 index);
DP_INLINE const struct dp_services *machine_services(void);
DP_INLINE struct dp_bin *machine_bin(__u32 index);
DP_INLINE struct dp_cell *machine_cell(__u32 index);
DP_INLINE struct dp_marks *machine_marks(__u32 index);
DP_INLINE const struct dp_factors *machine_factors(void);
DP_INLINE struct dp_sample *machine_reserve(void);
DP_INLINE void machine_submit(struct dp_sample *sample);
/* Where the bytes are. */
DP_INLINE void machine_frame(dp_context *context, struct dp_frame *frame);
/* The packet's own time in a replay, else the clock. */
DP_INLINE __u64 machine_now(const struct dp_summary *packet);
