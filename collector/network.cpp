#include "collector/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace sojourn {

Duration Place::lateness(Duration lag, Timestamp now) {
  if (now - lag_since > std::chrono::minutes{10}) {
    least_lag_before = std::exchange(least_lag, std::nullopt);
    lag_since = now;
  }
  if (!least_lag || lag < *least_lag) least_lag = lag;
  return lag - std::min(*least_lag, least_lag_before.value_or(*least_lag));
}

Network::Network(std::vector<std::string> path) : path_(std::move(path)) {}

std::uint32_t Network::add_subject(std::string name) {
  subjects.push_back(std::move(name));
  return static_cast<std::uint32_t>(subjects.size() - 1);
}

std::optional<std::uint32_t> Network::place_named(const std::string& name) {
  if (const auto known = place_numbers_.find(name); known != place_numbers_.end())
    return known->second;
  if (places.size() >= most_places) return std::nullopt;
  const auto number = static_cast<std::uint32_t>(places.size());
  Place place;
  place.name = name;
  place.subject = add_subject(name);
  places.push_back(std::move(place));
  place_numbers_.emplace(name, number);
  return number;
}

Pair& Network::pair_of(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t x = std::min(a, b), y = std::max(a, b);
  const auto number = static_cast<std::uint32_t>(pairs.size());
  const auto [known, is_new] =
      pair_numbers_.try_emplace(static_cast<std::uint64_t>(x) << 32 | y, number);
  if (!is_new) return pairs[known->second];
  Pair& pair = pairs.emplace_back();
  pair.x = x;
  pair.y = y;
  if (path_.empty()) return pair;
  // Neighbours on the path, and its two ends.
  const auto at_x = std::ranges::find(path_, places[x].name);
  const auto at_y = std::ranges::find(path_, places[y].name);
  const auto steps = at_y - at_x;
  const auto whole = static_cast<std::ptrdiff_t>(path_.size()) - 1;
  pair.allowed = at_x != path_.end() && at_y != path_.end() &&
                 (std::abs(steps) == 1 || std::abs(steps) == whole);
  pair.named = pair.allowed;
  if (pair.allowed) pair.clock.expect(steps > 0);
  return pair;
}

std::uint32_t Network::segment_of(Pair& pair, bool forward) {
  auto& known = forward ? pair.forward : pair.backward;
  if (known) return *known;
  Segment segment;
  segment.from = forward ? pair.x : pair.y;
  segment.to = forward ? pair.y : pair.x;
  segment.named = pair.named;
  segment.subject = add_subject(places[segment.from].name + ":" + places[segment.to].name);
  known = static_cast<std::uint32_t>(segments.size());
  places[segment.from].outgoing.push_back(*known);
  segment.reverse = forward ? pair.backward : pair.forward;
  if (segment.reverse) segments[*segment.reverse].reverse = known;
  segments.push_back(std::move(segment));
  return *known;
}

std::uint32_t Network::number_of(const Selection& selection) {
  const auto known = std::ranges::find(selections_, selection);
  if (known != selections_.end())
    return static_cast<std::uint32_t>(known - selections_.begin()) + 1;
  if (selections_.size() >= most_places) return 0;
  selections_.push_back(selection);
  return static_cast<std::uint32_t>(selections_.size());
}

std::uint64_t key_of(const Selection& selection) {
  std::uint64_t key = selection.secret_fingerprint;
  const auto mix = [&key](std::uint64_t word) {
    key ^= word;
    key = split_mix(key);
  };
  mix(std::bit_cast<std::uint64_t>(selection.sampling));
  mix(selection.sample_flows);
  mix(static_cast<std::uint64_t>(selection.payload_offset) << 32 | selection.payload_bytes);
  for (const char each : selection.hash) mix(static_cast<unsigned char>(each));
  return key;
}

std::string difference_of(const Selection& a, const Selection& b) {
  if (a.secret_fingerprint != b.secret_fingerprint) return "different secrets";
  if (a.sampling != b.sampling) return fmt::format("sampling {} and {}", a.sampling, b.sampling);
  if (a.sample_flows != b.sample_flows) return "one selects packets, the other flows";
  if (a.hash != b.hash) return fmt::format("hash {} and {}", a.hash, b.hash);
  if (a.payload_bytes != b.payload_bytes)
    return fmt::format("{} and {} payload bytes", a.payload_bytes, b.payload_bytes);
  if (a.payload_offset != b.payload_offset)
    return fmt::format("payload offsets {} and {}", a.payload_offset, b.payload_offset);
  return {};
}

}  // namespace sojourn
