#pragma once
// ClickHouse's RowBinary: values in sequence, little-endian, strings with their length.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace sojourn::clickhouse {

class RowWriter {
 public:
  template <class Number>
  RowWriter& number(Number value) {
    static_assert(std::endian::native == std::endian::little);
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out_.append(bytes, sizeof value);
    return *this;
  }
  RowWriter& count(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<char>(value | 0x80));
    out_.push_back(static_cast<char>(value));
    return *this;
  }
  RowWriter& text(std::string_view value) {
    count(value.size());
    out_.append(value);
    return *this;
  }
  /// Of a FixedString.
  RowWriter& fixed(std::string_view value) {
    out_.append(value);
    return *this;
  }

  const std::string& bytes() const { return out_; }
  bool empty() const { return out_.empty(); }
  void clear() { out_.clear(); }

 private:
  std::string out_;
};

/// Past the end it returns zeros and sets an error flag.
class RowReader {
 public:
  explicit RowReader(std::string_view bytes) : rest_(bytes) {}

  bool done() const { return rest_.empty() || failed_; }
  bool failed() const { return failed_; }

  template <class Number>
  Number number() {
    Number value{};
    const std::string_view bytes = fixed(sizeof value);
    if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::uint64_t count() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = number<std::uint8_t>();
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    failed_ = true;
    return 0;
  }
  std::string text() { return std::string{fixed(count())}; }
  std::string_view fixed(std::uint64_t size) {
    if (failed_ || size > rest_.size()) {
      failed_ = true;
      return {};
    }
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace sojourn::clickhouse
