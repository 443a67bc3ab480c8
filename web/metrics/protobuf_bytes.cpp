// io.prometheus.client.MetricFamily encoded by hand: five messages, of which we need few fields
// (https://github.com/prometheus/client_model, metrics.proto).

#include <bit>
#include <cstring>

#include "estimate/distribution/log_histogram.h"
#include "web/metrics/metric_family.h"

namespace sojourn::web {
namespace {

enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2 };

class Message {
 public:
  void varint(unsigned field, std::uint64_t value) {
    key(field, WireType::varint);
    put(value);
  }
  /// ZigZag.
  void signed_varint(unsigned field, std::int32_t value) {
    varint(field, (static_cast<std::uint32_t>(value) << 1) ^
                      static_cast<std::uint32_t>(value < 0 ? -1 : 0));
  }
  void number(unsigned field, double value) {
    key(field, WireType::fixed64);
    raw(value);
  }
  void bytes(unsigned field, std::string_view value) {
    key(field, WireType::bytes);
    delimited(value);
  }
  void message(unsigned field, const Message& inner) { bytes(field, inner.bytes_); }
  void packed(unsigned field, const std::vector<double>& values) {
    if (values.empty()) return;
    key(field, WireType::bytes);
    put(values.size() * 8);
    for (const double value : values) raw(value);
  }
  void delimited(std::string_view value) {
    put(value.size());
    bytes_ += value;
  }
  const std::string& text() const { return bytes_; }

 private:
  void key(unsigned field, WireType type) { put(field << 3 | static_cast<unsigned>(type)); }
  void put(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
  }
  void raw(double value) {
    static_assert(std::endian::native == std::endian::little);
    char eight[8];
    std::memcpy(eight, &value, 8);
    bytes_.append(eight, 8);
  }

  std::string bytes_;
};

struct FieldNumbers {
  unsigned span, count;
};
constexpr FieldNumbers negative_fields{9, 11}, positive_fields{12, 14};

/// Spans of neighbouring buckets, and the weight of each bucket.
void write_buckets(Message& histogram, const std::map<std::int32_t, double>& buckets,
                   FieldNumbers fields) {
  std::vector<double> counts;
  std::int32_t next = 0;
  for (auto bucket = buckets.begin(); bucket != buckets.end();) {
    Message span;
    span.signed_varint(1, bucket->first - next);
    std::uint32_t length = 0;
    for (next = bucket->first; bucket != buckets.end() && bucket->first == next; ++bucket) {
      counts.push_back(bucket->second);
      ++next;
      ++length;
    }
    span.varint(2, length);
    histogram.message(fields.span, span);
  }
  histogram.packed(fields.count, counts);
}

Message histogram_message(const DelaySums& sums) {
  std::map<std::int32_t, double> negative, positive;
  double zero = 0;
  for (const auto& [bin, weight] : sums.bins) {
    const double middle = (static_cast<double>(LogBuckets::lowest(bin)) / 2 +
                           static_cast<double>(LogBuckets::highest(bin)) / 2) /
                          1e9;
    if (middle == 0)
      zero += weight;
    else
      (middle < 0 ? negative : positive)[native_index(std::abs(middle))] += weight;
  }
  Message histogram;
  histogram.number(2, sums.sum_ns / 1e9);
  histogram.number(4, sums.weight);
  histogram.signed_varint(5, 3);  // schema: 8 buckets an octave
  histogram.number(6, 5e-10);     // what is below half a nanosecond is zero
  histogram.number(8, zero);
  write_buckets(histogram, negative, negative_fields);
  write_buckets(histogram, positive, positive_fields);
  return histogram;
}

}  // namespace

std::string protobuf_bytes(const std::vector<MetricFamily>& families) {
  Message all;
  for (const MetricFamily& family : families) {
    Message message;
    message.bytes(1, family.name);
    message.bytes(2, family.help);
    message.varint(3, static_cast<std::uint64_t>(family.type));
    for (const Metric& metric : family.metrics) {
      const auto* sums = std::get_if<const DelaySums*>(&metric.value);
      if (sums && (*sums)->bins.empty()) continue;
      Message one;
      for (const auto& [name, value] : metric.labels) {
        Message label;
        label.bytes(1, name);
        label.bytes(2, value);
        one.message(1, label);
      }
      if (sums) {
        one.message(7, histogram_message(**sums));
      } else {
        Message value;
        value.number(1, std::get<double>(metric.value));
        one.message(family.type == MetricType::counter ? 3 : 2, value);
      }
      message.message(4, one);
    }
    all.delimited(message.text());
  }
  return all.text();
}

}  // namespace sojourn::web
