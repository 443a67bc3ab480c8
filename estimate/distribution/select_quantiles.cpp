#include "estimate/distribution/select_quantiles.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace sojourn {
namespace {

struct WeightedDelay {
  std::int64_t ns;
  double weight;
  friend auto operator<=>(const WeightedDelay&, const WeightedDelay&) = default;
};

/// The bucket in which the cumulative weight reaches a target.
struct Place {
  std::int32_t bucket = 0;
  std::optional<std::int32_t> previous;  ///< the bucket before it that is not empty
  std::optional<std::int32_t> next;      ///< the one behind it
  double below = 0;                      ///< weight in all buckets before
  double within = 0;                     ///< weight in this one
};

std::vector<Place> find_places(const LogHistogram& histogram, std::span<const double> targets) {
  std::vector<Place> places;
  places.reserve(targets.size());
  Place here;
  bool any = false;
  std::size_t without_next = 0;
  histogram.weights().for_each([&](std::int32_t bucket, double weight) {
    for (; without_next < places.size(); ++without_next) places[without_next].next = bucket;
    here = {bucket, any ? std::optional{here.bucket} : std::nullopt, std::nullopt,
            any ? here.below + here.within : 0, weight};
    any = true;
    while (places.size() < targets.size() && targets[places.size()] <= here.below + weight)
      places.push_back(here);
  });
  places.resize(targets.size(), here);  // rounding may leave the last target a hair beyond the end
  return places;
}

std::int64_t between(std::int64_t from, std::int64_t to, double fraction) {
  if (fraction >= 1) return to;
  __extension__ using Wide = __int128;  // the two may be all of 64 bits apart
  const double step = std::round(std::max(fraction, 0.0) * static_cast<double>(Wide{to} - from));
  return static_cast<std::int64_t>(std::min(Wide{from} + static_cast<Wide>(step), Wide{to}));
}

/// A quick look at a delay: no bucket that matters has it, or one may.
class Sieve {
 public:
  /// `buckets` is not empty.
  explicit Sieve(std::span<const std::int32_t> buckets) : marks_(cells + 1) {
    const auto [first, last] = std::ranges::minmax(buckets);
    lowest_ = static_cast<std::uint64_t>(LogBuckets::lowest(first));
    const std::uint64_t span = static_cast<std::uint64_t>(LogBuckets::highest(last)) - lowest_;
    shift_ = std::max(0, static_cast<int>(std::bit_width(span)) - cell_bits);
    for (const std::int32_t bucket : buckets)
      for (std::size_t cell = cell_of(LogBuckets::lowest(bucket));
           cell <= cell_of(LogBuckets::highest(bucket)); ++cell)
        marks_[cell] = 1;
  }

  bool may_hold(std::int64_t ns) const { return marks_[cell_of(ns)] != 0; }

 private:
  static constexpr int cell_bits = 13;
  static constexpr std::size_t cells = std::size_t{1} << cell_bits;

  /// What lies below the lowest wraps around and is, like all beyond the last, in a cell of its
  /// own.
  std::size_t cell_of(std::int64_t ns) const {
    return std::min<std::uint64_t>((static_cast<std::uint64_t>(ns) - lowest_) >> shift_, cells);
  }

  std::vector<std::uint8_t> marks_;
  std::uint64_t lowest_;
  int shift_;
};

/// The samples of the buckets that matter, and nothing else.
class Gathered {
 public:
  Gathered(const SampleLog& log, std::span<const Place> places, std::span<const double> targets,
           bool all_weigh_one)
      : slots_(2 * LogBuckets::per_sign, none) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Place& place = places[i];
      want(place.bucket);
      // What lies outside the bucket matters only near its ends; how near depends on the weight of
      // its first and last sample.
      const double margin = all_weigh_one ? 0.5 : place.within;
      if (place.previous && targets[i] - place.below <= margin) want(*place.previous);
      if (place.next && place.below + place.within - targets[i] <= margin) want(*place.next);
    }
    if (wanted_.empty()) return;
    log.for_each([this, sieve = Sieve{wanted_}](std::int64_t ns, double weight) {
      if (!sieve.may_hold(ns)) [[likely]]
        return;
      const std::int16_t slot = slots_[position(LogBuckets::index_of(ns))];
      if (slot == none) return;
      Samples& samples = samples_[static_cast<std::size_t>(slot)];
      if (!samples.empty() && samples.back().ns != ns)
        varied_[static_cast<std::size_t>(slot)] = true;
      samples.push_back({ns, weight});
      if (weight != 1) weighted_[static_cast<std::size_t>(slot)] = true;
    });
  }

  std::int64_t at(const Place& place, double target) {
    Samples& samples = samples_of(place.bucket);
    const std::size_t rank = weighted_[slot_of(place.bucket)]
                                 ? weighted_rank(samples, place, target)
                                 : plain_rank(samples, place, target);
    const WeightedDelay here = samples[rank];
    const double middle = place.below + before_ + here.weight / 2;
    const std::span<WeightedDelay> all{samples};
    const bool varied = varied_[slot_of(place.bucket)] || weighted_[slot_of(place.bucket)];
    if (target < middle) {
      std::optional<WeightedDelay> previous;
      if (rank > 0)
        previous = varied ? std::ranges::max(all.first(rank)) : here;
      else if (place.previous)
        previous = std::ranges::max(samples_of(*place.previous));
      if (!previous) return here.ns;
      const double gap = (previous->weight + here.weight) / 2;
      return between(previous->ns, here.ns, 1 - (middle - target) / gap);
    }
    std::optional<WeightedDelay> next;
    if (rank + 1 < all.size())
      next = varied ? std::ranges::min(all.subspan(rank + 1)) : here;
    else if (place.next && has(*place.next))
      next = std::ranges::min(samples_of(*place.next));
    if (!next) return here.ns;
    return between(here.ns, next->ns, (target - middle) / ((here.weight + next->weight) / 2));
  }

 private:
  static constexpr std::int16_t none = -1;
  using Samples = std::vector<WeightedDelay>;

  static std::size_t position(std::int32_t bucket) {
    return static_cast<std::size_t>(bucket + LogBuckets::per_sign);
  }
  std::size_t slot_of(std::int32_t bucket) const {
    return static_cast<std::size_t>(slots_[position(bucket)]);
  }
  bool has(std::int32_t bucket) const { return slots_[position(bucket)] != none; }
  Samples& samples_of(std::int32_t bucket) { return samples_[slot_of(bucket)]; }
  void want(std::int32_t bucket) {
    auto& slot = slots_[position(bucket)];
    if (slot != none) return;
    slot = static_cast<std::int16_t>(samples_.size());
    wanted_.push_back(bucket);
    samples_.emplace_back();
    weighted_.push_back(false);
    varied_.push_back(false);
  }

  /// Puts the sample in whose weight the target lies into its place; `before_` is the weight of
  /// those in front of it.
  std::size_t plain_rank(Samples& samples, const Place& place, double target) {
    const double last = static_cast<double>(samples.size()) - 1;
    const auto rank =
        static_cast<std::size_t>(std::clamp(std::floor(target - place.below), 0.0, last));
    // Clocks of microseconds, and whatever is measured once and told often, fill buckets with one
    // value, in which many quantiles and ends of their intervals lie.
    if (varied_[slot_of(place.bucket)])
      std::ranges::nth_element(samples, samples.begin() + static_cast<std::ptrdiff_t>(rank));
    before_ = static_cast<double>(rank);
    return rank;
  }
  std::size_t weighted_rank(Samples& samples, const Place& place, double target) {
    std::ranges::sort(samples);
    std::size_t rank = 0;
    before_ = 0;
    while (rank + 1 < samples.size() && place.below + before_ + samples[rank].weight <= target)
      before_ += samples[rank++].weight;
    return rank;
  }

  std::vector<std::int16_t> slots_;   ///< by bucket
  std::vector<std::int32_t> wanted_;  ///< buckets, by slot
  std::vector<Samples> samples_;      ///< by slot
  std::vector<bool> weighted_, varied_;
  double before_ = 0;
};

}  // namespace

std::vector<std::int64_t> select_exactly(const SampleLog& log, const LogHistogram& histogram,
                                         std::span<const double> targets) {
  const auto places = find_places(histogram, targets);
  Gathered gathered{log, places, targets, histogram.all_weigh_one()};
  std::vector<std::int64_t> found;
  found.reserve(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i)
    found.push_back(gathered.at(places[i], targets[i]));
  return found;
}

std::vector<std::int64_t> select_from_buckets(const LogHistogram& histogram,
                                              std::span<const double> targets) {
  const auto places = find_places(histogram, targets);
  std::vector<std::int64_t> found;
  found.reserve(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i)
    found.push_back(between(LogBuckets::lowest(places[i].bucket),
                            LogBuckets::highest(places[i].bucket),
                            (targets[i] - places[i].below) / places[i].within));
  return found;
}

}  // namespace sojourn
