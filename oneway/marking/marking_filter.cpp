#include "oneway/marking/marking_filter.h"

#include "core/parse.h"
#include "wire/headers/marking_option.h"

namespace sojourn {
namespace {

Result<std::uint32_t> parse_flow_id(std::string_view text) {
  const auto number = parse_word(text);
  if (number && *number <= AltMarkOption::largest_flow_id) return number;
  return failure("'" + std::string{text} + "' is not a flow identifier from 0 to " +
                 std::to_string(AltMarkOption::largest_flow_id));
}

/// Stores a parsed value, or returns the error.
template <class T>
Result<void> take(std::optional<T>& into, Result<T> parsed) {
  if (!parsed) return std::unexpected(parsed.error());
  if (into) return failure("given twice");
  into = *parsed;
  return {};
}

}  // namespace

Result<MarkingFilter> MarkingFilter::parse(std::string_view text) {
  const std::string whole{text};
  MarkingFilter filter;
  if (text == "any") return filter;
  for (const std::string_view term : split_at_commas(text)) {
    const auto equals = term.find('=');
    if (equals == std::string_view::npos)
      return failure("flow '" + whole + "': '" + std::string{term} +
                     "' has no '='; try source=10.0.0.0/8,protocol=udp, or any");
    const std::string_view name = term.substr(0, equals), value = term.substr(equals + 1);
    Result<void> taken = failure("'" + std::string{name} +
                                 "' is unknown; known are source, destination, source-port, "
                                 "destination-port, protocol, flow-id");
    if (name == "source")
      taken = take(filter.source, Prefix::parse(value));
    else if (name == "destination")
      taken = take(filter.destination, Prefix::parse(value));
    else if (name == "source-port")
      taken = take(filter.source_port, parse_port(value));
    else if (name == "destination-port")
      taken = take(filter.destination_port, parse_port(value));
    else if (name == "protocol")
      taken = take(filter.protocol, parse_protocol(value));
    else if (name == "flow-id")
      taken = take(filter.flow_id, parse_flow_id(value));
    if (!taken) return std::unexpected(taken.error().while_doing("flow '" + whole + "'"));
  }
  if (filter.source && filter.destination &&
      filter.source->network().version() != filter.destination->network().version())
    return failure("flow '" + whole + "': source and destination are of different IP versions");
  return filter;
}

MarkingFilter MarkingFilter::of(const FlowKey& key) {
  return {.source = Prefix{key.source, key.source.bit_length()},
          .destination = Prefix{key.destination, key.destination.bit_length()},
          .source_port = key.source_port,
          .destination_port = key.destination_port,
          .protocol = key.protocol};
}

std::string MarkingFilter::text() const {
  std::string words;
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!words.empty()) words += ',';
    words.append(name).append("=").append(value);
  };
  if (source) add("source", source->to_string());
  if (destination) add("destination", destination->to_string());
  if (source_port) add("source-port", std::to_string(*source_port));
  if (destination_port) add("destination-port", std::to_string(*destination_port));
  if (protocol) add("protocol", protocol_name(*protocol));
  if (flow_id) add("flow-id", std::to_string(*flow_id));
  return words.empty() ? "any" : words;
}

}  // namespace sojourn
