// sojourn-bench-capture: a large capture of TCP connections whose round trips are known.
//
//     sojourn-bench-capture [--packets N] [--flows N] [--duration SECONDS] [--rate PACKETS/S]
//                           [--timestamps on|none] [--ack-bytes N] [--seed N] FILE
//
// Prints the number of samples each kind has to find, as JSON.

#include <fmt/core.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "bench/frame_writer.h"
#include "bench/traffic.h"

using namespace sojourn;
using namespace sojourn::bench;

namespace {

struct Options {
  TrafficOptions traffic;
  FrameOptions frames;
  std::string path;
};

Result<std::uint64_t> parse_count(std::string_view option, std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size() || value == 0)
    return failure(fmt::format("{} takes a positive whole number, not '{}'", option, text));
  return value;
}

Result<void> set(Options& options, std::string_view option, std::string_view text,
                 std::uint64_t& rate) {
  if (option == "--timestamps") {
    if (text != "on" && text != "none") return failure("--timestamps is on or none");
    options.frames.timestamps = text == "on";
    return {};
  }
  const auto value = parse_count(option, text);
  if (!value) return std::unexpected(value.error());
  if (option == "--packets")
    options.traffic.packets = *value;
  else if (option == "--flows")
    options.traffic.flows = static_cast<std::uint32_t>(*value);
  else if (option == "--duration")
    options.traffic.duration = std::chrono::seconds{*value};
  else if (option == "--rate")
    rate = *value;
  else if (option == "--ack-bytes")
    options.frames.ack_bytes = static_cast<std::uint32_t>(*value);
  else if (option == "--seed")
    options.traffic.seed = *value;
  else
    return failure(fmt::format("unknown option {}", option));
  return {};
}

Result<Options> parse(int argc, char** argv) {
  Options options;
  std::uint64_t rate = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with("--")) {
      options.path = argument;
    } else if (i + 1 == argc) {
      return failure(fmt::format("{} takes a value", argument));
    } else if (const auto done = set(options, argument, argv[++i], rate); !done) {
      return std::unexpected(done.error());
    }
  }
  if (options.path.empty()) return failure("no file to write");
  TrafficOptions& traffic = options.traffic;
  if (traffic.flows >= 1u << 24) return failure("--flows must be less than 16777216");
  if (traffic.packets < 6ull * traffic.flows)
    return failure("--packets must be at least six times --flows");
  if (traffic.packets >= 1ull << 32) return failure("--packets must be less than 4294967296");
  if (rate > 0)
    traffic.duration = Duration{static_cast<std::int64_t>(
        1e9 * static_cast<double>(traffic.packets) / static_cast<double>(rate))};
  return options;
}

Result<void> generate(const Options& options) {
  auto writer = FrameWriter::open(options.path, options.frames);
  if (!writer) return std::unexpected(writer.error());
  const Traffic traffic = plan_traffic(options.traffic);
  for (const PlannedPacket& packet : traffic.packets) {
    if (auto written = writer->write(packet); !written) return written;
  }
  if (auto finished = writer->finish(); !finished) return finished;

  const Truth& truth = traffic.truth;
  fmt::print(R"({{"packets": {}, "tcp": {}, "handshake_legs": {}, "tcp-ts": {}, "flow": {}}})"
             "\n",
             traffic.packets.size(), truth.tcp, truth.handshake,
             options.frames.timestamps ? truth.tcp_ts : 0, truth.flow);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = parse(argc, argv);
  if (!options) {
    fmt::print(stderr, "sojourn-bench-capture: {}\n", options.error().message);
    return 2;
  }
  if (const auto done = generate(*options); !done) {
    fmt::print(stderr, "sojourn-bench-capture: {}\n", done.error().message);
    return 1;
  }
  return 0;
}
