// What points, collectors and stores need as a network grows: computed from separately measured
// figures (docs/design/scale.md).

#include <fmt/format.h>

#include <cmath>

#include "experiments/oneway/oneway_experiments.h"

namespace sojourn {
namespace {

constexpr double bytes_per_record = 89;  ///< on the wire, with all that is around it
constexpr double joined_per_core = 1.6e6;
constexpr double bytes_per_waiting_record = 208;
constexpr double seconds_of_waiting = 60;
constexpr double rows_per_shard = 0.95e6;
constexpr double rows_per_record = 2;  ///< its two ends
constexpr double bytes_per_row = 97;   ///< before ClickHouse compresses them
constexpr double seconds_of_rows = 172'800;
constexpr double bytes_per_cell = 3;    ///< in a file
constexpr double cells_per_block = 30;  ///< of one prefix in one slice

/// The more packets of a flow are selected, the more of them share a record.
double packets_per_record(double sampling) { return sampling >= 0.1 ? 6.1 : 3.1; }

std::string with_unit(double value, const char* unit) {
  if (*unit == 0) return fmt::format("{:g}", value);
  for (const char* prefix : {"", "k", "M", "G", "T", "P"}) {
    if (value < 999.5 || *prefix == 'P') return fmt::format("{:.3g} {}{}", value, prefix, unit);
    value /= 1000;
  }
  return {};
}

Cell amount(double value, const char* unit) { return Cell::number(value, with_unit(value, unit)); }

struct Network {
  double points, packets_per_second, sampling;
};

double records_of(const Network& network) {
  return network.packets_per_second * network.sampling / packets_per_record(network.sampling);
}

std::vector<Cell> row_of(const Network& network) {
  const double each = records_of(network), all = each * network.points;
  const double rows = all * rows_per_record;
  return {amount(network.points, ""),
          amount(network.packets_per_second, "pps"),
          Cell::number(network.sampling, fmt::format("{:g} %", network.sampling * 100)),
          amount(each * bytes_per_record, "B/s"),
          amount(all, "/s"),
          amount(std::ceil(all / joined_per_core), ""),
          amount(all * seconds_of_waiting * bytes_per_waiting_record, "B"),
          amount(std::ceil(rows / rows_per_shard), ""),
          amount(rows * seconds_of_rows * bytes_per_row, "B")};
}

}  // namespace

LabReport run_scale(const LabSetting& setting) {
  ResultTable networks{"networks",
                       "what a network of points needs",
                       {"points", "each sees", "sampling", "each sends", "records", "cores",
                        "waiting", "shards", "packets kept"},
                       {}};
  for (const double points : {2.0, 100.0, 1'000.0})
    for (const double rate : {1e5, 1e6, 1e7})
      for (const double sampling : {0.001, 0.01})
        networks.rows.push_back(row_of({points, rate, sampling}));

  ResultTable store{"store",
                    "how a file grows, at most",
                    {"segments", "prefixes", "cells", "finest slices", "a year of 6 h"},
                    {}};
  for (const double segments : {1.0, 10.0, 100.0})
    for (const double prefixes : {100.0, 1'000.0}) {
      const double cells = segments * prefixes * cells_per_block;
      store.rows.push_back({amount(segments, ""), amount(prefixes, ""), amount(cells / 10, "/s"),
                            amount(cells / 10 * seconds_of_rows * bytes_per_cell, "B"),
                            amount(cells * 4 * 365 * bytes_per_cell, "B")});
    }
  setting.progress(1);
  LabReport report;
  report.tables = {std::move(networks), std::move(store)};
  return report;
}

}  // namespace sojourn
