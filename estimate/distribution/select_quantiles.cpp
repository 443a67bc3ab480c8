#include "estimate/distribution/select_quantiles.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <type_traits>

namespace sojourn {
namespace {

struct WeightedDelay {
  std::int64_t ns;
  double weight;
  friend auto operator<=>(const WeightedDelay&, const WeightedDelay&) = default;
};

/// The same where all weigh 1: half of the memory to fill and to search.
struct PlainDelay {
  std::int64_t ns;
  static constexpr double weight = 1;
  friend auto operator<=>(const PlainDelay&, const PlainDelay&) = default;
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

/// A quick test of a delay: in none of the relevant buckets, or possibly in one.
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

  bool may_hold(std::int64_t ns) const { return mark(ns) != 0; }
  /// 1 if a relevant bucket may hold it, else 0.
  std::uint8_t mark(std::int64_t ns) const { return marks_[cell_of(ns)]; }

 private:
  static constexpr int cell_bits = 13;
  static constexpr std::size_t cells = std::size_t{1} << cell_bits;

  /// Delays below the lowest wrap around; like those beyond the last, they are in a separate cell.
  std::size_t cell_of(std::int64_t ns) const {
    return std::min<std::uint64_t>((static_cast<std::uint64_t>(ns) - lowest_) >> shift_, cells);
  }

  std::vector<std::uint8_t> marks_;
  std::uint64_t lowest_;
  int shift_;
};

/// The samples of one bucket.  Microsecond clocks and repeated values fill buckets with a single
/// value: then it is counted, and there is nothing to select.
template <class Kept>
class Bucket {
 public:
  /// How many will be added, if that is known.
  void expect(std::size_t samples) { expected_ = samples; }
  void add(const Kept& sample) {
    if (!samples_.empty()) {
      weighted_ |= sample.weight != 1;
      samples_.push_back(sample);
    } else if (sample.weight == 1 && (alike_ == 0 || sample == value_)) {
      value_ = sample;
      ++alike_;
    } else {
      samples_.reserve(expected_);
      samples_.assign(alike_, value_);
      samples_.push_back(sample);
      weighted_ = sample.weight != 1;
    }
  }

  /// A sample, and the number and weight of the samples of the bucket before it.
  struct Found {
    Kept here;
    std::size_t rank;
    double before;
  };
  /// The sample that contains `target` in its weight; `below` is the weight of all buckets before.
  Found at(double target, double below) {
    if (samples_.empty()) {
      const std::size_t rank = plain_rank(target - below, alike_);
      return {value_, rank, static_cast<double>(rank)};
    }
    if (weighted_) return weighted_at(target, below);
    const std::size_t rank = plain_rank(target - below, samples_.size());
    std::ranges::nth_element(samples_, samples_.begin() + static_cast<std::ptrdiff_t>(rank));
    return {samples_[rank], rank, static_cast<double>(rank)};
  }
  /// The neighbours of the sample that at() just found; nullopt if they are in other buckets.
  std::optional<Kept> before(const Found& found) const {
    if (found.rank == 0) return std::nullopt;
    return samples_.empty() ? found.here : std::ranges::max(std::span{samples_}.first(found.rank));
  }
  std::optional<Kept> after(const Found& found) const {
    if (samples_.empty()) return found.rank + 1 < alike_ ? std::optional{found.here} : std::nullopt;
    if (found.rank + 1 == samples_.size()) return std::nullopt;
    return std::ranges::min(std::span{samples_}.subspan(found.rank + 1));
  }

  Kept first() const { return samples_.empty() ? value_ : std::ranges::min(samples_); }
  Kept last() const { return samples_.empty() ? value_ : std::ranges::max(samples_); }

 private:
  static std::size_t plain_rank(double target, std::size_t size) {
    const double last = static_cast<double>(size) - 1;
    return static_cast<std::size_t>(std::clamp(std::floor(target), 0.0, last));
  }
  Found weighted_at(double target, double below) {
    std::ranges::sort(samples_);
    std::size_t rank = 0;
    double before = 0;
    while (rank + 1 < samples_.size() && below + before + samples_[rank].weight <= target)
      before += samples_[rank++].weight;
    return {samples_[rank], rank, before};
  }

  Kept value_{};
  std::size_t expected_ = 0;
  std::size_t alike_ = 0;      ///< number of samples like `value_`, as long as all are, of weight 1
  std::vector<Kept> samples_;  ///< after that
  bool weighted_ = false;
};

/// The samples of the relevant buckets only.
template <class Kept>
class Gathered {
 public:
  Gathered(const SampleLog& log, const LogHistogram& histogram, std::span<const Place> places,
           std::span<const double> targets)
      : slots_(2 * LogBuckets::per_sign, none) {
    constexpr bool all_weigh_one = std::is_same_v<Kept, PlainDelay>;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Place& place = places[i];
      want(place.bucket);
      // Samples outside the bucket matter only near its ends; how near depends on the weight of its
      // first and last sample.
      const double margin = all_weigh_one ? 0.5 : place.within;
      if (place.previous && targets[i] - place.below <= margin) want(*place.previous);
      if (place.next && place.below + place.within - targets[i] <= margin) want(*place.next);
    }
    if (wanted_.empty()) return;
    if constexpr (all_weigh_one)
      for (std::size_t slot = 0; slot < wanted_.size(); ++slot)
        buckets_[slot].expect(static_cast<std::size_t>(histogram.weights().at(wanted_[slot])));
    const Sieve sieve{wanted_};
    log.for_each_block([&](auto delays, std::span<const double> weights) {
      if (weights.empty()) return gather(sieve, delays);
      if constexpr (!all_weigh_one)
        for (std::size_t i = 0; i < delays.size(); ++i)
          if (sieve.may_hold(delays[i])) keep({delays[i], weights[i]});
    });
  }

  std::int64_t at(const Place& place, double target) {
    Bucket<Kept>& bucket = buckets_[slot_of(place.bucket)];
    const auto found = bucket.at(target, place.below);
    const Kept here = found.here;
    const double middle = place.below + found.before + here.weight / 2;
    if (target < middle) {
      auto previous = bucket.before(found);
      if (!previous && place.previous) previous = buckets_[slot_of(*place.previous)].last();
      if (!previous) return here.ns;
      const double gap = (previous->weight + here.weight) / 2;
      return between(previous->ns, here.ns, 1 - (middle - target) / gap);
    }
    auto next = bucket.after(found);
    if (!next && place.next && has(*place.next)) next = buckets_[slot_of(*place.next)].first();
    if (!next) return here.ns;
    return between(here.ns, next->ns, (target - middle) / ((here.weight + next->weight) / 2));
  }

 private:
  static constexpr std::int16_t none = -1;

  /// Samples of weight 1.  Which of them are kept follows no pattern, so there is no branch on it:
  /// each is written, and the next one over it if it is not kept.
  template <class Delay>
  void gather(const Sieve& sieve, std::span<const Delay> delays) {
    std::array<Delay, 256> kept;
    while (!delays.empty()) {
      const auto some = delays.first(std::min(delays.size(), kept.size()));
      std::size_t count = 0;
      for (const Delay ns : some) {
        kept[count] = ns;
        count += sieve.mark(ns);
      }
      for (const Delay ns : std::span{kept}.first(count)) {
        if constexpr (std::is_same_v<Kept, PlainDelay>)
          keep({ns});
        else
          keep({ns, 1});
      }
      delays = delays.subspan(some.size());
    }
  }
  void keep(const Kept& sample) {
    const std::int16_t slot = slots_[position(LogBuckets::index_of(sample.ns))];
    if (slot != none) buckets_[static_cast<std::size_t>(slot)].add(sample);
  }

  static std::size_t position(std::int32_t bucket) {
    return static_cast<std::size_t>(bucket + LogBuckets::per_sign);
  }
  std::size_t slot_of(std::int32_t bucket) const {
    return static_cast<std::size_t>(slots_[position(bucket)]);
  }
  bool has(std::int32_t bucket) const { return slots_[position(bucket)] != none; }
  void want(std::int32_t bucket) {
    auto& slot = slots_[position(bucket)];
    if (slot != none) return;
    slot = static_cast<std::int16_t>(wanted_.size());
    wanted_.push_back(bucket);
    buckets_.emplace_back();
  }

  std::vector<std::int16_t> slots_;    ///< by bucket
  std::vector<std::int32_t> wanted_;   ///< by slot
  std::vector<Bucket<Kept>> buckets_;  ///< by slot
};

template <class Kept>
std::vector<std::int64_t> select(const SampleLog& log, const LogHistogram& histogram,
                                 std::span<const double> targets) {
  const auto places = find_places(histogram, targets);
  Gathered<Kept> gathered{log, histogram, places, targets};
  std::vector<std::int64_t> found;
  found.reserve(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i)
    found.push_back(gathered.at(places[i], targets[i]));
  return found;
}

}  // namespace

std::vector<std::int64_t> select_exactly(const SampleLog& log, const LogHistogram& histogram,
                                         std::span<const double> targets) {
  return histogram.all_weigh_one() ? select<PlainDelay>(log, histogram, targets)
                                   : select<WeightedDelay>(log, histogram, targets);
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
