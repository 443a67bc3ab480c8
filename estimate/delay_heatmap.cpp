#include "estimate/delay_heatmap.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sojourn {
namespace {

constexpr std::int32_t buckets_per_row = LogBuckets::per_octave / 4;
constexpr std::int32_t first_bucket = 256;  // of 256 ns, where buckets begin to widen

/// Rounds down for times before 1970 too.
std::int64_t floor_divided(std::int64_t ns, std::int64_t length) {
  return ns >= 0 ? ns / length : ~(~ns / length);
}

}  // namespace

std::size_t DelayHeatmap::row_of(Duration delay) {
  const std::int32_t bucket = LogBuckets::index_of(delay.count());
  if (bucket < first_bucket) return 0;
  return std::min<std::size_t>(
      1 + static_cast<std::size_t>((bucket - first_bucket) / buckets_per_row), rows - 1);
}

Duration DelayHeatmap::lowest(std::size_t row) {
  if (row == 0) return Duration{0};
  return Duration{
      LogBuckets::lowest(first_bucket + static_cast<std::int32_t>(row - 1) * buckets_per_row)};
}

std::int64_t DelayHeatmap::column_of(Timestamp time) const {
  return floor_divided(to_ns(time), length_.count());
}

Timestamp DelayHeatmap::start_of(std::size_t column) const {
  // The first column may begin before the first time that fits 64 bits.
  std::int64_t ns = 0;
  const std::int64_t number = first_ + static_cast<std::int64_t>(column);
  return __builtin_mul_overflow(number, length_.count(), &ns) ? Timestamp::min()
                                                              : timestamp_from_ns(ns);
}

void DelayHeatmap::Column::take(Column& other) {
  for (std::size_t kind = 0; kind < kind_count; ++kind) {
    requests[kind] += other.requests[kind];
    answered[kind] += other.answered[kind];
    for (std::size_t leg = 0; leg < leg_count; ++leg) {
      auto& theirs = other.delays[kind][leg];
      auto& ours = delays[kind][leg];
      if (!ours)
        ours = std::move(theirs);
      else if (theirs)
        for (std::size_t row = 0; row < rows; ++row) (*ours)[row] += (*theirs)[row];
    }
  }
}

/// Columns of twice the length.
void DelayHeatmap::coarsen() {
  std::vector<Column> coarse;
  const std::int64_t first = first_ >> 1;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const auto number =
        static_cast<std::size_t>(((first_ + static_cast<std::int64_t>(i)) >> 1) - first);
    if (number >= coarse.size()) coarse.resize(number + 1);
    coarse[number].take(columns_[i]);
  }
  columns_ = std::move(coarse);
  first_ = first;
  length_ *= 2;
}

DelayHeatmap::Column& DelayHeatmap::column_at(Timestamp time) {
  if (columns_.empty()) {
    first_ = column_of(time);
    columns_.resize(1);
  }
  while (true) {
    const std::int64_t number = column_of(time);
    const std::int64_t last = first_ + static_cast<std::int64_t>(columns_.size()) - 1;
    const std::int64_t low = std::min(number, first_), high = std::max(number, last);
    if (high - low >= static_cast<std::int64_t>(most_columns)) {
      coarsen();
      continue;
    }
    if (number < first_) {
      std::vector<Column> longer(static_cast<std::size_t>(first_ - number));
      std::ranges::move(columns_, std::back_inserter(longer));
      columns_ = std::move(longer);
      first_ = number;
    } else if (number > last) {
      columns_.resize(static_cast<std::size_t>(number - first_) + 1);
    }
    return columns_[static_cast<std::size_t>(number - first_)];
  }
}

void DelayHeatmap::add(Timestamp asked, Kind kind, Leg leg, Duration delay, double weight) {
  auto& place = column_at(asked).delays[index_of(kind)][index_of(leg)];
  if (!place) place = std::make_unique<Rows>();
  (*place)[row_of(delay)] += static_cast<float>(weight);
}

void DelayHeatmap::add_requests(Timestamp asked, Kind kind, double count) {
  column_at(asked).requests[index_of(kind)] += count;
}

void DelayHeatmap::add_answered(Timestamp asked, Kind kind, double weight) {
  column_at(asked).answered[index_of(kind)] += weight;
}

void DelayHeatmap::merge(const DelayHeatmap& other) {
  while (length_ < other.length_ && !columns_.empty()) coarsen();
  if (columns_.empty()) length_ = std::max(length_, other.length_);
  for (std::size_t i = 0; i < other.columns_.size(); ++i) {
    const Column& theirs = other.columns_[i];
    Column copy;
    copy.requests = theirs.requests;
    copy.answered = theirs.answered;
    for (std::size_t kind = 0; kind < kind_count; ++kind)
      for (std::size_t leg = 0; leg < leg_count; ++leg)
        if (theirs.delays[kind][leg])
          copy.delays[kind][leg] = std::make_unique<Rows>(*theirs.delays[kind][leg]);
    column_at(other.start_of(i)).take(copy);
  }
}

bool DelayHeatmap::has(Kind kind, Leg leg) const {
  return std::ranges::any_of(columns_, [&](const Column& column) {
    return column.delays[index_of(kind)][index_of(leg)] != nullptr;
  });
}

double DelayHeatmap::weight(std::size_t column, std::size_t row, Kind kind, Leg leg) const {
  const auto& delays = columns_[column].delays[index_of(kind)][index_of(leg)];
  return delays ? static_cast<double>((*delays)[row]) : 0;
}

double DelayHeatmap::requests(std::size_t column, Kind kind) const {
  return columns_[column].requests[index_of(kind)];
}

double DelayHeatmap::answered(std::size_t column, Kind kind) const {
  return columns_[column].answered[index_of(kind)];
}

}  // namespace sojourn
