#pragma once
// One distribution per time slice, kind and leg: how delay changed over the capture.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "core/kind.h"
#include "core/time.h"
#include "estimate/distribution/distribution.h"

namespace sojourn {

/// Slices of `length`, aligned to multiples of it since 1970, so that two runs and two threads use
/// the same boundaries.  At most `max_slices`: a sample that would open one more is counted in
/// overflowed() and is in no slice.
class Windows {
 public:
  static constexpr std::size_t default_max_slices = 100'000;

  /// By kind and leg; null where nothing was measured.
  using Slice = std::array<std::array<std::unique_ptr<Distribution>, leg_count>, kind_count>;

  explicit Windows(Duration length, std::size_t max_slices = default_max_slices,
                   Keep keep = Keep::histogram)
      : length_(length), max_slices_(max_slices), keep_(keep) {}

  void add(Timestamp time, Kind kind, Leg leg, Duration delay, double weight, FlowTag flow);
  void merge(const Windows& other);

  Duration length() const { return length_; }
  std::uint64_t overflowed() const { return overflowed_; }
  /// By number of slice since 1970.
  const std::map<std::int64_t, Slice>& slices() const { return slices_; }
  Timestamp start_of(std::int64_t slice) const {
    return timestamp_from_ns(slice * length_.count());
  }

 private:
  Slice* slice_at(std::int64_t number);
  Distribution& distribution_in(Slice& slice, Kind kind, Leg leg) const;

  std::map<std::int64_t, Slice> slices_;
  Duration length_;
  std::size_t max_slices_;
  Keep keep_;
  std::uint64_t overflowed_ = 0;
  std::int64_t latest_number_ = 0;  ///< samples come nearly in order: the last slice is the next
  Slice* latest_ = nullptr;
};

}  // namespace sojourn
