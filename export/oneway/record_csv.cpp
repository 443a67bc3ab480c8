#include "export/oneway/record_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "core/printable.h"

namespace sojourn {
namespace {

// Differences of such times and sums of such counts fit into 64 bits.  2^62 ns is the year 2116.
constexpr std::int64_t farthest_ns = std::int64_t{1} << 62;
constexpr std::uint64_t most_packets = 1'000'000'000'000'000;

/// The fields of a line, one after the other.
class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}

  std::string_view next() {
    const std::size_t comma = std::min(rest_.find(','), rest_.size());
    const std::string_view field = rest_.substr(0, comma);
    at_end_ = comma == rest_.size();
    rest_.remove_prefix(std::min(comma + 1, rest_.size()));
    return field;
  }
  template <class Number>
  bool number(std::string_view name, Number& value) {
    const std::string_view field = next();
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    return expect(error == std::errc{} && end == field.data() + field.size(), name, field);
  }
  bool address(std::string_view name, IpAddress& value) {
    const std::string_view field = next();
    const auto parsed = IpAddress::parse(field);
    if (parsed) value = *parsed;
    return expect(parsed.has_value(), name, field);
  }
  bool time(std::string_view name, Timestamp& value) {
    std::int64_t ns = 0;
    const std::string_view field = rest_.substr(0, rest_.find(','));
    if (!number(name, ns)) return false;
    value = timestamp_from_ns(ns);
    return expect(ns >= -farthest_ns && ns <= farthest_ns, name, field);
  }
  bool packets(std::uint64_t& value) {
    const std::string_view field = rest_.substr(0, rest_.find(','));
    return number("packets", value) && expect(value > 0 && value <= most_packets, "packets", field);
  }
  bool expiry(Expiry& value) {
    const std::string_view field = next();
    for (std::size_t i = 0; i < expiry_names.size(); ++i) {
      if (expiry_names[i] != field) continue;
      value = static_cast<Expiry>(i);
      return true;
    }
    return expect(false, "expiry", field);
  }
  bool end() { return expect(at_end_, "end of line", rest_); }
  const std::string& complaint() const { return complaint_; }

 private:
  bool expect(bool fine, std::string_view name, std::string_view field) {
    if (!fine) complaint_ = fmt::format("'{}' is not valid as {}", printable(field, 60), name);
    return fine;
  }

  std::string_view rest_;
  bool at_end_ = false;
  std::string complaint_;
};

Result<FlowRecord> record_of(std::string_view line, bool has_moments) {
  Fields fields{line};
  FlowRecord record;
  FlowKey& key = record.key;
  const bool fine =
      fields.number("protocol", key.protocol) && fields.address("source", key.source) &&
      fields.number("source_port", key.source_port) &&
      fields.address("destination", key.destination) &&
      fields.number("destination_port", key.destination_port) && fields.packets(record.packets) &&
      fields.number("bytes", record.bytes) && fields.time("first_ns", record.first) &&
      fields.time("last_ns", record.last) && fields.number("first_label", record.first_label) &&
      fields.number("last_label", record.last_label) &&
      fields.number("tcp_flags", record.tcp_flags) && fields.expiry(record.expiry) &&
      (!has_moments || fields.number("moment_squares", record.moment_squares)) && fields.end();
  if (!fine) return failure(fields.complaint());
  if (record.last < record.first) return failure("last_ns is before first_ns");
  return record;
}

}  // namespace

void append_record(std::string& lines, const FlowRecord& record) {
  fmt::format_to(std::back_inserter(lines), "{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                 record.key.protocol, record.key.source.to_string(), record.key.source_port,
                 record.key.destination.to_string(), record.key.destination_port, record.packets,
                 record.bytes, to_ns(record.first), to_ns(record.last), record.first_label,
                 record.last_label, record.tcp_flags, name_of(record.expiry),
                 record.moment_squares);
}

bool holds_records(const std::string& path) {
  std::error_code unknown;
  if (path == "-" || !std::filesystem::is_regular_file(path, unknown)) return false;
  std::ifstream file{path, std::ios::binary};
  const std::string_view wanted =
      record_csv_header.substr(0, record_csv_header.find(",source_port"));
  std::string begin(wanted.size(), '\0');
  return file.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == wanted;
}

Result<RecordCsvReader> RecordCsvReader::open(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) return failure(fmt::format("cannot open {}", path));
  return RecordCsvReader{
      std::string{std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{}}, path};
}

RecordCsvReader::RecordCsvReader(std::string text, std::string name)
    : text_(std::move(text)), name_(std::move(name)) {}

std::unexpected<Error> RecordCsvReader::error(std::string message) const {
  return failure(name_.empty() ? std::move(message) : fmt::format("{}: {}", name_, message));
}

Result<std::size_t> RecordCsvReader::next(std::span<FlowRecord> batch) {
  std::string_view rest{text_};
  rest.remove_prefix(at_);
  if (line_ == 1) {
    has_moments_ = rest.starts_with(record_csv_header);
    if (!has_moments_ && !rest.starts_with(short_record_csv_header))
      return error("no flow records: the first line is not their header");
    rest.remove_prefix(has_moments_ ? record_csv_header.size() : short_record_csv_header.size());
    line_ = 2;
  }
  std::size_t count = 0;
  for (; count < batch.size() && !rest.empty(); ++line_) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    auto record = record_of(rest.substr(0, end), has_moments_);
    if (!record) return error(fmt::format("line {}: {}", line_, record.error().message));
    batch[count++] = *record;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  at_ = text_.size() - rest.size();
  return count;
}

void RecordCsvWriter::take(std::span<const FlowRecord> records) {
  for (const FlowRecord& record : records) {
    append_record(file_.lines(), record);
    file_.pass_on();
  }
}

}  // namespace sojourn
