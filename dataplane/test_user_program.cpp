#include "dataplane/test_user_program.h"

#include "dataplane/dataplane_options.h"
#include "dataplane/weight_factors.h"

// The headers are C for two compilers; what C converts silently is theirs to know.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "dataplane/kernel/frame.h"
#include "dataplane/kernel/program.h"
#pragma GCC diagnostic pop

namespace sojourn {

/// Plain memory in the place of maps.
struct UserMachine {
  static thread_local UserProgram* running;

  static dp_config& config() { return running->config_; }
  static dp_control& control() { return running->control_; }
  static dp_counters& counters() { return running->counters_; }
  template <class Value>
  static Value* entry(std::vector<Value>& values, std::uint32_t index) {
    return index < values.size() ? &values[index] : nullptr;
  }
  static dp_slot* slot(std::uint32_t part, std::uint64_t slot) {
    const auto index = part * running->config_.shard_slots + static_cast<std::uint32_t>(slot);
    return entry(running->slots_, index);
  }
  static dp_shard* shard(std::uint32_t index) { return entry(running->shards_, index); }
  static dp_bucket* bucket(std::uint32_t index) { return entry(running->buckets_, index); }
  static dp_super_bucket* super_bucket(std::uint32_t index) {
    return entry(running->super_buckets_, index);
  }
  static dp_asked_line* asked_line(std::uint32_t index) { return entry(running->asked_, index); }
  static const dp_services* services() { return &running->services_; }
  static dp_bin* bin(std::uint32_t index) { return entry(running->bins_, index); }
  static dp_cell* cell(std::uint32_t index) { return entry(running->cells_, index); }
  static dp_marks* marks(std::uint32_t index) { return entry(running->marks_, index); }
  static const dp_factors* factors() { return &running->factors_; }
  static dp_sample* pending() { return &running->pending_; }
  static void submit() { running->samples_.push_back(running->pending_); }
};
thread_local UserProgram* UserMachine::running = nullptr;

UserProgram::UserProgram(const dp_config& config)
    : config_(config),
      slots_(slot_count(config)),
      shards_(DP_MOST_SHARDS),
      buckets_(config.buckets),
      super_buckets_(config.super_buckets),
      asked_(config.asked_lines),
      services_(known_services()),
      factors_(weight_factors(config)),
      bins_(histogram_count(config) * config.bins),
      cells_(bins_.size() / DP_BINS_A_CELL),
      marks_(histogram_count(config)) {
  control_.enter_below = control_.look_below = std::uint64_t{1} << 32;
}

int UserProgram::process(const Packet& packet) {
  UserMachine::running = this;
  const auto* data = reinterpret_cast<const __u8*>(packet.data);
  dp_frame frame{data, data + packet.captured, packet.captured, packet.captured, 0};
  dp_summary summary{};
  summary.time_ns = static_cast<std::uint64_t>(to_ns(packet.time));
  summary.interface = 1;  // as a test run in the kernel has it: the loopback
  summary.vlan = DP_NO_VLAN;
  const int reason = dp_parse(&frame, &summary);
  dp_look_at(&summary, reason, 1, packet.captured);
  return reason;
}

}  // namespace sojourn

using sojourn::UserMachine;

DP_INLINE const volatile struct dp_config* machine_config() { return &UserMachine::config(); }
DP_INLINE struct dp_control* machine_control() { return &UserMachine::control(); }
DP_INLINE struct dp_counters* machine_counters() { return &UserMachine::counters(); }
DP_INLINE struct dp_slot* machine_slot(__u32 part, __u64 slot) {
  return UserMachine::slot(part, slot);
}
DP_INLINE struct dp_shard* machine_shard(__u32 index) { return UserMachine::shard(index); }
DP_INLINE struct dp_bucket* machine_bucket(__u32 index) { return UserMachine::bucket(index); }
DP_INLINE struct dp_super_bucket* machine_super_bucket(__u32 index) {
  return UserMachine::super_bucket(index);
}
DP_INLINE struct dp_asked_line* machine_asked_line(__u32 index) {
  return UserMachine::asked_line(index);
}
DP_INLINE const struct dp_services* machine_services() { return UserMachine::services(); }
DP_INLINE struct dp_bin* machine_bin(__u32 index) { return UserMachine::bin(index); }
DP_INLINE struct dp_cell* machine_cell(__u32 index) { return UserMachine::cell(index); }
DP_INLINE struct dp_marks* machine_marks(__u32 index) { return UserMachine::marks(index); }
DP_INLINE const struct dp_factors* machine_factors() { return UserMachine::factors(); }
DP_INLINE struct dp_sample* machine_reserve() { return UserMachine::pending(); }
DP_INLINE void machine_submit(struct dp_sample*) { UserMachine::submit(); }
DP_INLINE __u64 machine_now(const struct dp_summary* packet) { return packet->time_ns; }
DP_INLINE void machine_frame(struct dp_frame* context, struct dp_frame* frame) {
  *frame = *context;
}
