#include "apps/oneway_csv.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <iterator>

namespace sojourn {
namespace {

constexpr std::size_t piece = std::size_t{1} << 18;

void append_key(std::string& lines, const FlowKey& key) {
  fmt::format_to(std::back_inserter(lines), "{},{},{},{},{}", protocol_name(key.protocol),
                 key.source.to_string(), key.source_port, key.destination.to_string(),
                 key.destination_port);
}

/// Times are whole nanoseconds; what is not known is empty.
void append_number(std::string& lines, const std::optional<double>& value) {
  lines += ',';
  if (value) fmt::format_to(std::back_inserter(lines), "{}", std::llround(*value));
}
template <class Integer>
void append_number(std::string& lines, const std::optional<Integer>& value) {
  lines += ',';
  if (value) fmt::format_to(std::back_inserter(lines), "{}", *value);
}

}  // namespace

Result<CsvFile> CsvFile::open(const std::string& path, std::string_view header) {
  std::FILE* file = path == "-" ? stdout : std::fopen(path.c_str(), "w");
  if (!file) return failure(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  CsvFile csv{file, path};
  csv.lines_ = header;
  return csv;
}

void CsvFile::pass_on() {
  if (lines_.size() < piece) return;
  if (error_.empty() && std::fwrite(lines_.data(), 1, lines_.size(), file_.get()) != lines_.size())
    error_ = std::strerror(errno);
  lines_.clear();
}

Result<void> CsvFile::finish() {
  if (error_.empty() && std::fwrite(lines_.data(), 1, lines_.size(), file_.get()) != lines_.size())
    error_ = std::strerror(errno);
  lines_.clear();
  if (error_.empty() && std::fflush(file_.get()) != 0) error_ = std::strerror(errno);
  if (!error_.empty()) return failure(fmt::format("cannot write {}: {}", path_, error_));
  return {};
}

std::string protocol_name(std::uint8_t protocol) {
  switch (protocol) {
    case 1:
      return "icmp";
    case 6:
      return "tcp";
    case 17:
      return "udp";
    case 58:
      return "icmpv6";
    default:
      return std::to_string(protocol);
  }
}

void append_flow(std::string& lines, const FlowDelay& flow) {
  append_key(lines, flow.key);
  fmt::format_to(std::back_inserter(lines), ",{}", flow.packets);
  append_number(lines, flow.mean_ns);
  append_number(lines, flow.stddev_ns);
  append_number(lines, flow.min_ns);
  append_number(lines, flow.max_ns);
  append_number(lines, flow.lost);
  append_number(lines, flow.margin_ns);
  lines += '\n';
}

void append_delay(std::string& lines, const FlowKey* flow, const DelaySample& sample) {
  fmt::format_to(std::back_inserter(lines), "{},", to_ns(sample.sent));
  if (flow)
    append_key(lines, *flow);
  else
    lines += ",,,,";
  fmt::format_to(std::back_inserter(lines), ",{}\n", to_ns(sample.delay));
}

Result<void> write_flows(const std::string& path, std::span<const FlowDelay> flows) {
  auto file = CsvFile::open(path, flows_csv_header);
  if (!file) return std::unexpected(file.error());
  for (const FlowDelay& flow : flows) {
    append_flow(file->lines(), flow);
    file->pass_on();
  }
  return file->finish();
}

}  // namespace sojourn
