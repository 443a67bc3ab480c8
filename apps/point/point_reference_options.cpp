// The options of `sojourn point` for reference packets.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "apps/option_helpers.h"
#include "apps/point/point_reference.h"

namespace sojourn {
namespace {

/// "1-in-300", "every 780us", both with a comma between, "both" or "adaptive".
Result<ReferenceGenerator::Options> parse_scheme(std::string_view text) {
  constexpr std::string_view one_in = "1-in-", every = "every ";
  ReferenceGenerator::Options options;
  if (text == "adaptive") return options;
  options.scheme = Injection::either;
  if (text == "both") return options;
  bool by_count = false, by_clock = false;
  for (const std::string_view part : split_at_commas(text)) {
    if (part.starts_with(one_in) && !by_count) {
      const auto count = parse_count(part.substr(one_in.size()), 1, 1'000'000'000);
      if (!count) return std::unexpected(count.error());
      options.packets = static_cast<std::uint32_t>(*count);
      by_count = true;
    } else if (part.starts_with(every) && !by_clock) {
      const auto interval = parse_positive_duration(part.substr(every.size()));
      if (!interval) return std::unexpected(interval.error());
      if (*interval < std::chrono::microseconds{10}) return failure("at least 10us are needed");
      options.interval = *interval;
      by_clock = true;
    } else {
      by_count = by_clock = false;
      break;
    }
  }
  if (!by_count && !by_clock)
    return failure(fmt::format("'{}' is not 1-in-300, 'every 780us', both or adaptive", text));
  if (!by_clock) options.scheme = Injection::every_n;
  if (!by_count) options.scheme = Injection::every_tau;
  return options;
}

Result<std::uint64_t> parse_sender(std::string_view text) { return parse_count(text, 0, 65'535); }

}  // namespace

void add_reference_options(CLI::App& point, PointReferenceRequest& request) {
  CLI::Option_group& group = *point.add_option_group("Reference packets (RLI)");
  add_parsed(
      group, "--reference", "SCHEME", parse_scheme,
      [&](const ReferenceGenerator::Options& options) {
        request.send = true;
        request.sending.generator = options;
      },
      "send reference packets: 1-in-300, 'every 780us', both\n"
      "(whichever comes first) or adaptive (needs --capacity)");
  add_parsed(
      group, "--reference-to", "ADDRESS", IpAddress::parse,
      [&](const IpAddress& address) { request.sending.to.address = address; },
      "where they go (default: all nodes of the link, 224.0.0.1)");
  group.add_flag("--observe-references", request.observe,
                 "estimate every flow's delay from incoming reference packets");
  add_parsed(
      group, "--sender", "NUMBER", parse_sender,
      [&](std::uint64_t number) {
        request.sending.sender = static_cast<std::uint16_t>(number);
        request.receiving.sender = static_cast<std::uint16_t>(number);
      },
      "number in reference packets (default: send 1, and follow\nthe first sender seen)");
  add_parsed(
      group, "--capacity", "RATE", parse_capacity, [&](double rate) { request.capacity = rate; },
      "of the link, as 10Gbit");
  add_parsed(
      group, "--flow-memory", "SIZE", parse_table_memory,
      [&](std::size_t bytes) { request.receiving.memory_bytes = bytes; },
      "for flows, in the kernel (default 16MiB)");
  group
      .add_option("--flows", request.flows,
                  "CSV, a row for each flow and interval; - is standard output")
      ->type_name("FILE");
  group.add_flag("--json", request.json, "a line of JSON for each interval instead of text");
  add_parsed(
      group, "--top", "NUMBER", parse_top, [&](std::uint64_t number) { request.top = number; },
      "flows to print for each interval (default 10)");
}

std::string complete_reference_request(PointReferenceRequest& request, const CLI::App& point) {
  if (!request.wanted()) {
    for (const char* option : {"--reference-to", "--sender", "--capacity", "--flow-memory",
                               "--flows", "--json", "--top"})
      if (point.count(option) > 0)
        return fmt::format("{} is for --reference and --observe-references", option);
    return {};
  }
  if (!request.observe && point.count("--to") > 0)
    return "--to needs --observe-references: a point that only sends them measures nothing";
  if (point.count("CAPTURE") > 0)
    return "reference packets in captures are read by sojourn oneway --method rli; this is for -i";
  if (request.interface.empty()) return "reference packets need -i INTERFACE";
  if (request.send && request.sending.generator.scheme == Injection::adaptive && !request.capacity)
    return "--reference adaptive needs --capacity to find out how busy the link is";
  if (!request.send && point.count("--reference-to") > 0) return "--reference-to needs --reference";
  if (!request.observe)
    for (const char* option : {"--flow-memory", "--flows", "--top"})
      if (point.count(option) > 0) return fmt::format("{} needs --observe-references", option);
  if (request.json && request.flows == "-")
    return "--json and --flows - both write to standard output";
  if (request.capacity && *request.capacity < least_reference_capacity)
    return "--capacity must be at least 1Mbit";
  if (request.capacity) {
    request.sending.generator.capacity_bytes_a_second = *request.capacity;
    request.receiving.capacity_bytes_a_second = *request.capacity;
  }
  request.receiving.seed = random_seed();
  return {};
}

}  // namespace sojourn
