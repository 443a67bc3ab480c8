#include "export/marking/marking_report_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "core/printable.h"
#include "store/marks/marking_duties.h"

namespace sojourn {
namespace {

// Differences of such times and sums of such counts fit into 64 bits.  2^62 ns is the year 2116.
constexpr std::int64_t farthest = std::int64_t{1} << 62;
constexpr std::uint64_t most_packets = 1'000'000'000'000'000;

std::string_view state_of(const MarkingReport& report) {
  return report.doubt ? marking_fault_names[static_cast<std::size_t>(*report.doubt)] : "ok";
}

/// The fields of a line, one after the other; after the first error all fail.
class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}

  std::string text() {
    const std::size_t comma = std::min(rest_.find(','), rest_.size());
    const std::string_view field = rest_.substr(0, comma);
    rest_.remove_prefix(std::min(comma + 1, rest_.size()));
    return std::string{field};
  }
  bool is_empty() const { return rest_.starts_with(','); }
  template <class Number>
  Number number(std::string_view name, Number least, Number most) {
    Number value{};
    const std::string field = text();
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    const bool fine = error == std::errc{} && end == field.data() + field.size() &&
                      value >= least && value <= most;
    if (!fine) wrong(name, field);
    return fine ? value : Number{};
  }
  std::uint64_t count(std::string_view name) {
    return number<std::uint64_t>(name, 0, most_packets);
  }
  Timestamp time(std::string_view name) {
    return timestamp_from_ns(number<std::int64_t>(name, -farthest, farthest));
  }
  Duration duration(std::string_view name) {
    constexpr std::int64_t day = 86'400'000'000'000;
    return Duration{number<std::int64_t>(name, 0, day)};
  }
  /// Empty means unknown.
  std::optional<Duration> optional_duration(std::string_view name) {
    if (rest_.starts_with(',')) {
      rest_.remove_prefix(1);
      return std::nullopt;
    }
    return duration(name);
  }
  /// The rest of the line, in quotation marks.
  std::string quoted() {
    if (rest_.size() < 2 || rest_.front() != '"' || rest_.back() != '"')
      wrong("flow", rest_);
    else
      rest_ = rest_.substr(1, rest_.size() - 2);
    return std::string{rest_};
  }
  void wrong(std::string_view name, std::string_view field) {
    if (complaint_.empty())
      complaint_ = fmt::format("'{}' is not valid as {}", printable(field, 60), name);
  }
  const std::string& complaint() const { return complaint_; }

 private:
  std::string_view rest_;
  std::string complaint_;
};

/// Common fields of all lines of a run, and when it began.
Timestamp read_who(Fields& fields, MarkingPointFile& file) {
  file.point = fields.text();
  file.duty = fields.text();
  if (!is_marking_duty(file.duty)) fields.wrong("duty", file.duty);
  const std::string method = fields.text();
  if (const auto known = marking_method_named(method))
    file.method = *known;
  else
    fields.wrong("marking", method);
  file.carrier = fields.text();
  std::ranges::replace(file.carrier, ';', ',');
  if (!MarkingCarrier::parse(file.carrier)) fields.wrong("carrier", file.carrier);
  const std::string length = fields.text();
  if (const auto known = MarkingInterval::parse(length))
    file.length = *known;
  else
    fields.wrong("interval", length);
  file.clock_error = std::max(file.clock_error, fields.optional_duration("clock_error_ns"));
  return fields.time("since_ns");
}

/// The fields that are the same in all lines of a point: name, duty, marking, carrier, interval.
std::string_view who_of(std::string_view line) {
  std::size_t end = 0;
  for (int field = 0; field < 5 && end != line.npos; ++field)
    end = line.find(',', field == 0 ? 0 : end + 1);
  return line.substr(0, end);
}

class Reader {
 public:
  Result<void> line(std::string_view text) {
    Fields fields{text};
    MarkingPointFile& file = builder_.file;
    const Timestamp since = read_who(fields, file);
    MarkingRecord record;
    record.length = record.judged_by = file.length;
    const std::int64_t most = farthest / 2 / to_ns(file.length.length());
    record.interval = fields.number<std::int64_t>("number", -most, most);
    (void)fields.time("start_ns");
    record.read_at = fields.time("read_ns");
    const std::string state = fields.text();
    record.packets = fields.count("packets");
    record.pulses = fields.number<std::uint32_t>("pulses", 0, 100'000'000);
    record.pulse_time = fields.time("pulse_ns");
    record.late = fields.duration("late_ns");
    record.early = fields.duration("early_ns");
    record.middle = fields.count("middle");
    record.contrary = fields.count("contrary");
    record.other = fields.count("other");
    record.marked_before = fields.count("marked_before");
    file.copies = !fields.is_empty();
    if (file.copies)
      record.repeats = fields.number<std::uint32_t>("repeats", 0, 100'000'000);
    else
      (void)fields.text();
    const std::string flow = fields.quoted();
    const auto fault = std::ranges::find(marking_fault_names, state);
    if (state != "ok" && fault == marking_fault_names.end()) fields.wrong("state", state);
    if (!fields.complaint().empty()) return failure(fields.complaint());
    const std::string_view who = who_of(text);
    if (!who_.empty() && who != who_)
      return failure(fmt::format("'{}' instead of '{}', as in the lines before", printable(who, 60),
                                 printable(who_, 60)));
    who_ = who;
    std::optional<MarkingFault> doubt;
    if (state != "ok") doubt = static_cast<MarkingFault>(fault - marking_fault_names.begin());
    builder_.add(since, record, doubt, flow);
    return {};
  }
  bool has_read_some() const { return !who_.empty(); }
  MarkingPointFile finish() { return builder_.finish(); }

 private:
  MarkingFileBuilder builder_;
  std::string who_;
};

}  // namespace

std::string_view name_of(MarkingDuty duty) {
  return marking_duty_names[static_cast<std::size_t>(duty)];
}

std::string marking_csv(const MarkingReporter& who, const MarkingReport& report) {
  std::string carrier = who.setup.carrier.name();
  std::ranges::replace(carrier, ',', ';');
  const std::string begin =
      fmt::format("{},{},{},{},{},{},{},{},{},{},{}", who.point, name_of(who.duty),
                  name_of(who.setup.method), carrier, who.setup.length.name(),
                  who.clock_error ? std::to_string(to_ns(*who.clock_error)) : "", to_ns(who.since),
                  report.interval, to_ns(who.setup.length.start_of(report.interval)),
                  to_ns(report.read_at), state_of(report));
  // Empty if duplicates were not looked for: zero copies is not the same as unknown.
  const auto repeats = [&](std::uint32_t count) {
    return who.copies ? std::to_string(count) : std::string{};
  };
  std::string lines = begin + ",0,0,0,0,0,0,0,0,0," + repeats(0) + ",\"\"\n";
  for (const MarkingRecord& r : report.records)
    fmt::format_to(std::back_inserter(lines), "{},{},{},{},{},{},{},{},{},{},{},\"{}\"\n", begin,
                   r.packets, r.pulses, r.pulses > 0 ? to_ns(r.pulse_time) : 0, to_ns(r.late),
                   to_ns(r.early), r.middle, r.contrary, r.other, r.marked_before,
                   repeats(r.repeats), who.setup.flows[r.flow].text());
  return lines;
}

bool holds_marking(const std::string& path) {
  std::error_code unknown;
  if (path == "-" || !std::filesystem::is_regular_file(path, unknown)) return false;
  std::ifstream file{path, std::ios::binary};
  const std::string_view wanted = marking_csv_header.substr(0, marking_csv_header.find(",clock"));
  std::string begin(wanted.size(), '\0');
  return file.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == wanted;
}

Result<MarkingPointFile> parse_marking_csv(std::string_view text) {
  if (!text.starts_with(marking_csv_header))
    return failure("no marking records: the first line is not their header");
  text.remove_prefix(marking_csv_header.size());
  Reader reader;
  for (std::size_t number = 2; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == text.npos) break;  // still being written
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.size() + 1 == marking_csv_header.size() && marking_csv_header.starts_with(line))
      continue;  // of a second run
    if (auto done = reader.line(line); !done)
      return failure(fmt::format("line {}: {}", number, done.error().message));
  }
  if (!reader.has_read_some()) return failure("no interval is in it yet: the point has to go on");
  return reader.finish();
}

Result<MarkingPointFile> read_marking_csv(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) return failure(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  const std::string text{std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{}};
  auto parsed = parse_marking_csv(text);
  if (!parsed) return failure(path + ": " + parsed.error().message);
  return parsed;
}

}  // namespace sojourn
