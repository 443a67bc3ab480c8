#pragma once
// When to send a reference packet (RLI section III-B1).

#include <cstdint>
#include <optional>

#include "core/time.h"

namespace sojourn {

enum class Injection : std::uint8_t {
  every_n,    ///< one after every n regular packets
  every_tau,  ///< one every tau
  either,     ///< whichever comes first
  adaptive,   ///< Algorithm 1: often on a quiet link, seldom on a busy one
};

/// Given every regular packet, it says when a reference packet is due.  It reads no clock: the
/// caller checks `timer()` before each packet, or sleeps until then.
class ReferenceGenerator {
 public:
  struct Options {
    Injection scheme = Injection::adaptive;
    std::uint32_t packets = 300;                         ///< n
    Duration interval = std::chrono::microseconds{780};  ///< tau
    double capacity_bytes_a_second = 1.25e9;             ///< lc
    double smoothing = 0.01;  ///< alpha; not stated, but this gives the paper's injection rates
    double least_utilisation = 0.6, most_utilisation = 0.85;
    double least_rate = 1.0 / 300, most_rate = 1.0 / 10;
  };

  explicit ReferenceGenerator(const Options& options)
      : options_(options), rate_(options.most_rate) {}

  /// When the next reference packet is due by the clock; nullopt if only packet counts decide, or
  /// before the first packet.
  std::optional<Timestamp> timer() const;
  /// A regular packet is about to pass.  True: send a reference packet directly before it, so that
  /// both meet the same queue.  (Behind it, the reference packet would always wait for that one
  /// packet.)
  bool passes(Timestamp time, std::uint32_t bytes);
  /// The same for a caller that counts itself: how many regular packets it may count before a
  /// reference packet is due, and what it has counted since the last one.  nullopt: any number.
  std::optional<std::uint64_t> packets_until_due() const;
  void passed(Timestamp time, std::uint64_t packets, std::uint64_t bytes);
  /// A reference packet was sent.  Algorithm 1 runs here.
  void injected(Timestamp time);

  /// Reference packets per regular packet that Algorithm 1 currently aims at.
  double rate() const { return rate_; }
  double utilisation() const { return utilisation_; }

 private:
  bool counts() const { return options_.scheme != Injection::every_tau; }
  void adapt(Duration since);

  Options options_;
  std::optional<Timestamp> last_;  ///< reference packet, or the first packet of all
  std::uint64_t packets_ = 0;      ///< since then
  std::uint64_t bytes_ = 0;
  double utilisation_ = 0;
  double rate_;
};

}  // namespace sojourn
