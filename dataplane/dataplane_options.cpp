#include "dataplane/dataplane_options.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/hash.h"
#include "dataplane/kernel/log_bin.h"
#include "roundtrip/rules/coarse_time.h"
#include "roundtrip/rules/server_guess.h"

namespace sojourn {
namespace {

constexpr std::size_t least_shard_slots = 64;
/// Slots that fill 4, 8, 16 and 32 KiB, less what the kernel needs for a map.  Larger parts would
/// lie in small pages (dataplane/kernel/kernel_machine.h).
constexpr std::size_t part_slots[] = {112, 240, 496, 1008};
constexpr std::size_t enough_shards = 64;  // with more, their counters leave the nearest cache
constexpr int octaves_apart = 3;
constexpr double max_lives = 16;  // sample_weight.h
constexpr std::size_t super_packet_part = 8, asked_before_part = 16;

std::size_t shards_for(std::size_t fridge_slots) {
  std::size_t shards = 1;
  for (const std::size_t slots : part_slots) {
    shards = (fridge_slots + slots - 1) / slots;
    if (shards <= enough_shards) break;
  }
  return std::min<std::size_t>(shards, DP_MOST_SHARDS);
}

/// Legs that a kind has in the kernel: server, client, sum.
std::uint32_t legs_of(unsigned kind) {
  return kind == DP_HANDSHAKE ? 3 : kind == DP_TCP || kind == DP_TCP_TS ? 2 : 1;
}

/// Bins up to the longest delay that there can be, in whole cells.
std::uint32_t bins_up_to(std::uint64_t delay_ns) {
  return (dp_bin_of(static_cast<__s64>(delay_ns)) / DP_BINS_A_CELL + 1) * DP_BINS_A_CELL;
}

}  // namespace

KindSet kernel_kinds() {
  KindSet kinds = KindSet::none();
  for (const Kind kind :
       {Kind::tcp, Kind::handshake, Kind::tcp_ts, Kind::dns, Kind::ntp, Kind::icmp})
    kinds.add(kind);
  return kinds;
}

dp_config make_config(const DataplaneOptions& options) {
  dp_config config{};
  std::uint64_t state = options.seed;
  for (auto& secret : config.secret) secret = split_mix(state) | 1u;
  config.expire_ns = static_cast<std::uint64_t>(to_ns(options.expire));
  for (unsigned kind = 0; kind < paired_kind_count; ++kind)
    if (options.kinds.has(static_cast<Kind>(kind)) && kernel_kinds().has(static_cast<Kind>(kind)))
      config.kinds |= 1u << kind;
  config.full_size = options.full_size;
  config.fridges = options.fridges > 1 && !options.histograms ? DP_MOST_FRIDGES : 1;

  double ends = 0, total = 0;
  for (unsigned k = 0; k < DP_MOST_FRIDGES; ++k) total += pace_of(config, k);
  for (unsigned k = 0; k + 1 < DP_MOST_FRIDGES; ++k) {
    ends += pace_of(config, k) / total;
    config.home_end[k] = static_cast<std::uint32_t>(std::llround(ends * 0x1p32));
  }

  const std::size_t fridge_slots = std::max<std::size_t>(
      options.table_bytes / sizeof(dp_slot) / config.fridges, least_shard_slots);
  config.shards = static_cast<std::uint32_t>(shards_for(fridge_slots));
  config.shard_slots = static_cast<std::uint32_t>(fridge_slots / config.shards);
  // 21 bits have to hold twice what the fastest fridge inserts in the longest life that counts.
  const double most = 2 * max_lives * pace_of(config, 0) * config.shard_slots;
  while (std::ldexp(1.0, DP_AGE_BITS + static_cast<int>(config.age_shift)) < most)
    ++config.age_shift;

  config.buckets = static_cast<std::uint32_t>(
      std::bit_floor(std::max<std::size_t>(options.connection_bytes / sizeof(dp_bucket), 1)));
  // As much as user space gives them in fixed memory, beside the connections.
  config.super_buckets = static_cast<std::uint32_t>(options.connection_bytes / super_packet_part /
                                                    sizeof(dp_super_bucket));
  config.asked_lines = static_cast<std::uint32_t>(options.connection_bytes / asked_before_part /
                                                  sizeof(dp_asked_line));
  config.patience = CoarserTime::steps_in(options.expire);
  if (options.histograms) {
    config.bins = bins_up_to(config.expire_ns);
    config.keep_ambiguous = options.keep_ambiguous;
    std::uint32_t next = 0;
    for (unsigned kind = 0; kind < DP_KINDS; ++kind) {
      config.histogram_of[kind] = static_cast<std::uint8_t>(next);
      if (config.kinds >> kind & 1) next += legs_of(kind);
    }
  }
  config.apart = options.apart;
  config.replay = options.replay;
  config.steps = options.steps;
  return config;
}

double pace_of(const dp_config& config, unsigned fridge) {
  return std::ldexp(1.0, octaves_apart * static_cast<int>(config.fridges - 1 - fridge));
}

double share_of(const dp_config& config, unsigned fridge) {
  if (config.fridges == 1) return fridge == 0 ? 1 : 0;
  const double begin = fridge == 0 ? 0 : config.home_end[fridge - 1] * 0x1p-32;
  const double end = fridge + 1 == config.fridges ? 1 : config.home_end[fridge] * 0x1p-32;
  return end - begin;
}

std::size_t slot_count(const dp_config& config) {
  return std::size_t{config.fridges} * config.shards * config.shard_slots;
}

std::size_t part_bytes(const dp_config& config) {
  return DP_VALUE_TO_LINE + config.shard_slots * sizeof(dp_slot);
}

std::size_t table_bytes(const dp_config& config) {
  constexpr std::size_t of_a_map = 504, largest = std::size_t{32} << 10;
  const std::size_t part = part_bytes(config) + of_a_map;
  return std::size_t{config.fridges} * config.shards *
         (part <= largest ? std::bit_ceil(part) : part);
}

std::size_t program_bytes(const dp_config& config, std::size_t ring_bytes, std::size_t cpus) {
  return table_bytes(config) + config.buckets * sizeof(dp_bucket) +
         config.super_buckets * sizeof(dp_super_bucket) +
         config.asked_lines * sizeof(dp_asked_line) + sizeof(dp_services) +
         config.shards * sizeof(dp_shard) + cpus * sizeof(dp_counters) + sizeof(dp_factors) +
         histogram_bytes(config) + ring_bytes;
}

std::size_t histogram_count(const dp_config& config) {
  std::size_t count = 0;
  for (unsigned kind = 0; kind < DP_KINDS; ++kind)
    if (config.bins > 0 && (config.kinds >> kind & 1)) count += legs_of(kind);
  return count;
}

std::optional<std::size_t> histogram_number(const dp_config& config, Kind kind, Leg leg) {
  const auto number = static_cast<unsigned>(index_of(kind));
  const std::size_t place = leg == Leg::sum ? 2 : index_of(leg);
  if (leg == Leg::internal || leg == Leg::external) return std::nullopt;  // by address
  if (config.bins == 0 || !(config.kinds >> number & 1) || place >= legs_of(number))
    return std::nullopt;
  return config.histogram_of[number] + place;
}

std::size_t histogram_bytes(const dp_config& config) {
  return histogram_count(config) *
         (config.bins * sizeof(dp_bin) + config.bins / DP_BINS_A_CELL * sizeof(dp_cell) +
          sizeof(dp_marks));
}

dp_services known_services() {
  constexpr unsigned ports = 65536, service = 3;
  dp_services services{};
  for (unsigned port = 0; port < ports; ++port)
    if (service_rank(static_cast<std::uint16_t>(port)) >= service)
      services.bits[port / 64] |= std::uint64_t{1} << port % 64;
  return services;
}

void set_clocks(dp_control& control, Timestamp now) {
  const auto ns = static_cast<std::uint64_t>(to_ns(now));
  const auto write = [](__u32& word, std::uint64_t value) {
    *static_cast<volatile __u32*>(&word) = static_cast<std::uint32_t>(value);
  };
  write(control.tick, ns >> DP_TICK_BITS);
  write(control.seconds, ns / 1'000'000'000);
}

}  // namespace sojourn
