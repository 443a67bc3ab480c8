#include "dataplane/dataplane_options.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/hash.h"
#include "roundtrip/rules/coarse_time.h"
#include "roundtrip/rules/server_guess.h"

namespace sojourn {
namespace {

constexpr std::size_t least_shard_slots = 64;
constexpr int octaves_apart = 3;
constexpr double max_lives = 16;  // sample_weight.h
constexpr std::size_t super_packet_part = 8, asked_before_part = 16;

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
  for (unsigned kind = 0; kind < kind_count; ++kind)
    if (options.kinds.has(static_cast<Kind>(kind)) && kernel_kinds().has(static_cast<Kind>(kind)))
      config.kinds |= 1u << kind;
  config.full_size = options.full_size;
  config.fridges = options.fridges > 1 ? DP_MOST_FRIDGES : 1;

  double ends = 0, total = 0;
  for (unsigned k = 0; k < DP_MOST_FRIDGES; ++k) total += pace_of(config, k);
  for (unsigned k = 0; k + 1 < DP_MOST_FRIDGES; ++k) {
    ends += pace_of(config, k) / total;
    config.home_end[k] = static_cast<std::uint32_t>(std::llround(ends * 0x1p32));
  }

  const std::size_t fridge_slots = std::max<std::size_t>(
      options.table_bytes / sizeof(dp_slot) / config.fridges, least_shard_slots);
  config.shards = static_cast<std::uint32_t>(
      std::clamp<std::size_t>(std::bit_floor(fridge_slots / least_shard_slots), 1, DP_MOST_SHARDS));
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
