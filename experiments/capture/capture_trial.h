#pragma once
// The user's capture as a trial for tables: read once, then judged by table, memory and seed.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/kind.h"
#include "core/result.h"
#include "core/time.h"
#include "roundtrip/pair_event.h"
#include "roundtrip/tables/table_choice.h"
#include "wire/summary.h"

namespace sojourn {

/// A table's result for the capture, beside the truth.
struct TrialOutcome {
  std::array<double, 101> ratio{};  ///< estimated / true delay at each percentile
  double p999_ratio = 0;            ///< the same at the 99.9th
  double total = 0;                 ///< estimated number of pairs by the true one
  double samples = 0;
  std::size_t memory_bytes = 0;  ///< what the table took, of what it was given

  /// |log2(estimated / true)|, the error metric of both papers, in octaves.
  double octaves(int percentile) const;
  /// The largest over the percentiles 5 to 95.
  double worst_octaves() const;
};

/// Median of each number: one unlucky seed does not decide.
double median_over(std::span<const TrialOutcome> outcomes,
                   const std::function<double(const TrialOutcome&)>& figure);

/// The packets are parsed once; the events of the pairing rules are kept, 24 bytes each.  A run
/// does what `sojourn rtt` does with them: the same rules with as many connections as the memory
/// allows, the same tables, weights and histogram.  Only the hash that spreads keys over a table is
/// drawn again for each seed.
class CaptureTrial {
 public:
  CaptureTrial(CaptureTrial&&) = default;
  CaptureTrial& operator=(CaptureTrial&&) = default;

  /// `progress` is called with the share done; `most_packets` bounds the memory (64 bytes a packet
  /// and its headers, and the payload of DNS over TCP).
  static Result<CaptureTrial> read(const std::vector<std::string>& captures, Kind kind,
                                   const std::function<void(double)>& progress,
                                   std::size_t most_packets = std::size_t{64} << 20);

  /// May be called by several threads at once, after prepare() for the same choice.
  TrialOutcome run(const TableChoice& choice, std::uint64_t seed) const;
  /// Every choice with each of this many seeds, on all cores: the outcomes of the first choice
  /// first.
  std::vector<TrialOutcome> run_all(
      std::span<const TableChoice> choices, std::uint64_t first_seed, std::size_t seeds,
      const std::function<void(double)>& progress = [](double) {}) const;
  /// Creates the events for as many connections as this choice may remember.
  void prepare(const TableChoice& choice);

  Kind kind() const { return kind_; }
  std::uint64_t pairs() const { return pairs_; }
  std::uint64_t requests() const { return requests_; }
  std::uint64_t packets() const { return packets_; }
  bool cut_short() const { return cut_short_; }
  /// What was strange about the files: cut, damaged, with times that cannot be.
  std::span<const std::string> warnings() const { return warnings_; }
  std::size_t exact_memory() const {
    return exact_memory_;
  }  ///< what remembering every request took
  Duration truth(int percentile) const { return truth_[static_cast<std::size_t>(percentile)]; }
  Duration truth_p999() const { return truth_p999_; }
  Duration longest() const { return longest_; }

 private:
  struct Found {
    std::int64_t delay_ns;
    double weight;
    Leg leg;
    std::uint8_t fridge;
  };
  CaptureTrial() = default;
  void keep(std::span<const Summary> batch);
  std::vector<PairEvent> events_for(std::size_t most_connections) const;
  std::size_t connections_of(const TableChoice& choice) const;
  template <class Table>
  std::vector<Found> samples_of(Table& table, std::span<const PairEvent> events,
                                std::uint64_t seed) const;
  bool is_headline(Leg leg) const;
  void find_truth();

  Kind kind_ = Kind::tcp;
  std::vector<Summary> summaries_;
  std::vector<std::vector<std::byte>> bytes_;  ///< of a batch each; `summaries_` point there
  std::size_t flows_ = 0;
  std::map<std::size_t, std::vector<PairEvent>> events_;  ///< by connections remembered
  std::uint64_t packets_ = 0, pairs_ = 0, requests_ = 0;
  std::vector<std::string> warnings_;
  bool cut_short_ = false;
  std::size_t exact_memory_ = 0;
  std::array<Duration, 101> truth_{};
  Duration truth_p999_{}, longest_{};
};

/// The tables to judge: all but exact.
std::vector<TableKind> fixed_memory_tables();

}  // namespace sojourn
