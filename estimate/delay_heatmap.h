#pragma once
// How often each delay occurred, by time: columns of time, rows of delay.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/kind.h"
#include "core/time.h"
#include "estimate/distribution/log_histogram.h"

namespace sojourn {

/// Weights of samples by the time of their request and by their delay, for each kind and leg, with
/// the number of requests per column.  A column covers the requests sent in its time, so that
/// delays and the share of unanswered requests refer to the same requests.
///
/// Memory is bounded: there are at most `most_columns`, and when a request is beyond, columns
/// become twice as long.  They start at multiples of their length since 1970, so two threads and
/// two runs use the same boundaries.  Rows are a quarter of an octave high, from 256 ns up to more
/// than a minute; shorter and longer delays are in the first and last row.
class DelayHeatmap {
 public:
  static constexpr std::size_t most_columns = 256;
  static constexpr std::size_t rows = 117;

  explicit DelayHeatmap(Duration first_length = std::chrono::milliseconds{1})
      : length_(first_length) {}

  void add(Timestamp asked, Kind kind, Leg leg, Duration delay, double weight);
  /// Requests sent in the column, and those of them that were answered, measured or not.
  void add_requests(Timestamp asked, Kind kind, double count);
  void add_answered(Timestamp asked, Kind kind, double weight);
  void merge(const DelayHeatmap& other);

  Duration length() const { return length_; }
  std::size_t columns() const { return columns_.size(); }
  Timestamp start_of(std::size_t column) const;
  /// Number of the column of a time, to compare two.
  std::int64_t column_of(Timestamp time) const;

  bool has(Kind kind, Leg leg) const;
  double weight(std::size_t column, std::size_t row, Kind kind, Leg leg) const;
  double requests(std::size_t column, Kind kind) const;
  double answered(std::size_t column, Kind kind) const;

  static std::size_t row_of(Duration delay);
  /// The shortest delay of a row; the next row's is its end.
  static Duration lowest(std::size_t row);

 private:
  using Rows = std::array<float, rows>;
  struct Column {
    std::array<std::array<std::unique_ptr<Rows>, leg_count>, kind_count> delays;
    std::array<double, kind_count> requests{}, answered{};

    void take(Column& other);
  };

  Column& column_at(Timestamp time);
  void coarsen();

  Duration length_;
  std::int64_t first_ = 0;  ///< number of columns_[0] since 1970
  std::vector<Column> columns_;
};

}  // namespace sojourn
