#pragma once
// A store in memory, for tests, with slices of 10 s.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "store/cell_batch.h"
#include "store/store.h"

namespace sojourn {

class TestStore : public Store {
 public:
  static constexpr Timestamp start = timestamp_from_ns(1'700'000'000'000'000'000);

  void add(const std::string& subject, std::uint8_t measure, Timestamp at, std::int32_t bin,
           double weight, int flow, const char* prefix = "198.51.100.0", std::uint8_t leg = 0) {
    CellSeries series;
    series.slice = slice_of(at, slice);
    series.measure = measure;
    series.leg = leg;
    series.prefix = *IpAddress::parse(prefix);
    series.prefix_length = prefix_length;
    batches_[subject].add(series, bin, FlowTag::numbered(static_cast<std::uint64_t>(flow)), weight);
  }

  Result<void> write(const StoreWrite&) override { return {}; }
  Result<std::vector<PointLedger>> ledgers() override { return ledgers_; }
  Result<StoreAge> age() override {
    if (!fault.empty()) return failure(fault);
    if (never_written) return StoreAge{};
    return StoreAge{start, start + std::chrono::hours{24}};
  }
  Result<std::vector<SubjectSummary>> subjects() override {
    std::vector<SubjectSummary> all;
    for (auto& [name, batch] : batches_) {
      SubjectSummary summary{name, {}};
      for (const auto& [series, block] : batch.blocks())
        if (summary.measures.empty() || summary.measures.back() != series.measure)
          summary.measures.push_back(series.measure);
      std::ranges::sort(summary.measures);
      summary.measures.erase(std::ranges::unique(summary.measures).begin(), summary.measures.end());
      all.push_back(std::move(summary));
    }
    return all;
  }
  Result<std::optional<SegmentClock>> clock(const std::string&, Timestamp, Timestamp) override {
    return std::optional<SegmentClock>{};
  }
  Result<void> read(const StoreRead& read, const BlockVisitor& visit) override {
    if (!batches_.contains(read.subject)) return {};
    for (const auto& [series, block] : batches_[read.subject].blocks())
      if (series.measure == read.measure && series.slice + slice > read.from &&
          series.slice < read.to)
        visit(series, slice, block);
    return {};
  }
  Result<std::optional<Timestamp>> newest(const std::string&) override {
    return std::optional{start};
  }

  Duration slice = finest_slice;    ///< of all that is stored
  std::uint8_t prefix_length = 24;  ///< of what is added from now on
  bool never_written = false;
  std::string fault;
  std::vector<PointLedger> ledgers_;

 private:
  std::map<std::string, CellBatch> batches_;
};

}  // namespace sojourn
