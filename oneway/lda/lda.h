#pragma once
// Lossy difference aggregator: the mean delay of all packets together, from two small sketches.
//
// Kompella, Levchenko, Snoeren, Varghese. Every Microsecond Counts. SIGCOMM 2009; implemented as in
// the RLI paper's comparison (section V-C).

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/hash.h"
#include "core/time.h"

namespace sojourn {

struct LdaBank {
  std::size_t buckets = 512;
  double sampling = 1;  ///< share of all packets that go to this bank
};

/// Both points need the same options.
struct LdaOptions {
  std::vector<LdaBank> banks = {{}, {}};
  std::uint64_t seed = 0;

  /// The RLI paper's: one bank tuned for 0.5 % loss, one for 10 %.  A bank of m buckets in which
  /// about m packets of an interval are lost has the most packets in undisturbed buckets, so its
  /// sampling is m / (loss x packets of the interval), at most 1 for all banks together.
  static LdaOptions tuned(double packets_an_interval, std::size_t buckets = 512);
};

/// One point's sketch of one interval.
///
/// A packet goes to at most one bank and to one bucket of it, chosen by its label.  A bucket holds
/// the number of its packets and the sum of their times, modulo 2^64 (differences stay exact).  It
/// also holds both with a sign from the label, for the deviation.
class LdaSketch {
 public:
  struct Bucket {
    std::uint64_t count = 0;
    std::uint64_t times = 0;
    std::uint64_t signed_count = 0;  ///< two's complement
    std::uint64_t signed_times = 0;
  };

  explicit LdaSketch(const LdaOptions& options);

  /// `label`: hash of the packet, equal at both points.
  void add(std::uint64_t label, Timestamp time);

  std::span<const Bucket> buckets() const { return buckets_; }
  std::size_t memory_bytes() const { return buckets_.size() * sizeof(Bucket); }

 private:
  struct Limit {
    std::uint64_t below;  ///< of the hash: this bank's packets
    std::size_t first;    ///< bucket
    std::size_t count;
  };

  HashKey key_;
  std::vector<Limit> limits_;
  std::vector<Bucket> buckets_;
};

struct LdaEstimate {
  std::uint64_t packets = 0;  ///< in undisturbed buckets
  std::size_t usable_buckets = 0;
  double mean_ns = 0;
  /// The squared signed sum of (delay - mean) of each undisturbed bucket has the expectation of the
  /// sum of squares.  The paper squares the delays themselves; see `plain_deviation_ns`.
  double deviation_ns = 0;
  double plain_deviation_ns = 0;
};

/// From the sketches of both points; nullopt if loss has disturbed every bucket.
std::optional<LdaEstimate> lda_estimate(const LdaSketch& first, const LdaSketch& last);

}  // namespace sojourn
