// The options of `sojourn generate`.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/commands.h"
#include "apps/generate_request.h"
#include "apps/generate_two_point.h"
#include "apps/option_helpers.h"
#include "core/units.h"

namespace sojourn {
namespace {

constexpr const char* generate_examples = R"(Models:
  fridge  the synthetic trace of the FRIDGE paper: a million DNS queries a
          second, 40 % answered, delays log-uniform from 1 ms to --longest
  isp     TCP on a border link with the statistics of the STAGED and FRIDGE
          papers: most segments are never answered, some flows are seen one
          way only, scanners' SYNs get no answer
  bursts  DNS queries; in a fifth of the time the rate is four times and the
          delay five times as large
  tcp     whole TCP connections: handshake, data both ways, growing windows,
          delayed ACKs, losses and retransmissions, reordering, FIN and RST
  chic, sanj, ipls
          with --points 2: backbone traffic with the rate and flow sizes that
          the CNF and RLI papers state

Examples:
  sojourn generate --model isp isp.pcap              and isp.pcap.truth.csv
  sojourn generate --model isp --packets 10000000 --duration 11.4s big.pcap
  sojourn generate --model tcp --flows 500 --loss 0.01 --reorder 0.01 t.pcap
  sojourn generate --model fridge --longest 64ms - --truth t.csv | sojourn rtt -
  sojourn generate --points 2 two --loss 0.01 --duplicates 0.01 --vlan
  sojourn oneway two.first.pcap two.last.pcap --flows - | head

The truth has the columns of 'sojourn rtt --samples': what 'sojourn rtt' finds
without --memory is exactly that.  With --points 2 it is FILE.delays.csv and
FILE.flows.csv, as 'sojourn oneway' finds them.
)";

using Heeds = bool ModelChoice::*;

/// Names of the models that heed an option.
std::vector<std::string_view> models_that(Heeds heed) {
  return traffic_model_names([heed](const ModelChoice& model) { return model.*heed; });
}

std::string contradiction(const GenerateRequest& request, const CLI::App& generate) {
  constexpr std::array<std::pair<const char*, Heeds>, 8> scopes = {{
      {"--requests", &ModelChoice::heeds_requests},
      {"--rate", &ModelChoice::heeds_requests},
      {"--answered", &ModelChoice::heeds_requests},
      {"--longest", &ModelChoice::heeds_longest},
      {"--packets", &ModelChoice::heeds_packets},
      {"--flows", &ModelChoice::heeds_packets},
      {"--loss", &ModelChoice::heeds_loss},
      {"--reorder", &ModelChoice::heeds_loss},
  }};
  const ModelChoice& model = *traffic_model_named(request.model);
  for (const auto& [option, heeds] : scopes)
    if (generate.count(option) > 0 && !(model.*heeds))
      return fmt::format("{} means nothing to the model {}; it belongs to {}", option, model.name,
                         listed(models_that(heeds), "and"));
  if (request.requests && request.duration)
    return "--requests and --duration both say how long it lasts; the rate is --rate";
  if (request.loss && *request.loss > 0.5)
    return "--loss above 0.5 leaves no connection to speak of";
  if (request.reorder && *request.reorder > 0.5) return "--reorder must be at most 0.5";
  if (request.longest && *request.longest < std::chrono::milliseconds{2})
    return "--longest must be at least 2ms: the shortest delay is 1ms";
  if (request.packets && request.flows && *request.flows > *request.packets)
    return "--flows cannot be more than --packets";
  if (request.capture == "-" && request.truth.empty())
    return "with the capture on standard output, say with --truth where the truth goes";
  if (request.capture == "-" && request.truth == "-")
    return "the capture and --truth - both want standard output";
  return {};
}

}  // namespace

void add_generate(CLI::App& app, Run& run) {
  const auto request = std::make_shared<GenerateRequest>();
  const auto two_points = std::make_shared<TwoPointRequest>();
  CLI::App& generate = *app.add_subcommand("generate", "captures with known truth");
  generate.footer(generate_examples);
  generate.get_formatter()->column_width(34);
  generate.add_option("FILE", request->capture, "capture to write (pcap), - for standard output")
      ->required()
      ->type_name("");
  const auto models = traffic_model_names([](const ModelChoice&) { return true; });
  generate.add_option("--model", request->model, listed(models, "or") + ": see below")
      ->check(CLI::IsMember(std::vector<std::string>{models.begin(), models.end()}))
      ->type_name("NAME");
  const auto of = [](Heeds heeds, std::string_view description) {
    return fmt::format("{}: {}", fmt::join(models_that(heeds), ", "), description);
  };
  const auto count = [&](const char* name, std::optional<std::uint64_t>& value,
                         const std::string& description) {
    add_parsed(
        generate, name, "NUMBER", parse_how_many, [&value](std::uint64_t n) { value = n; },
        description);
  };
  const auto share = [&](const char* name, std::optional<double>& value,
                         const std::string& description) {
    add_parsed(
        generate, name, "SHARE", parse_any_share, [&value](double n) { value = n; }, description);
  };
  constexpr Heeds requests = &ModelChoice::heeds_requests, packets = &ModelChoice::heeds_packets,
                  loss = &ModelChoice::heeds_loss;
  count("--packets", request->packets, of(packets, "about so many packets (default 1e6, 1e5)"));
  count("--flows", request->flows, of(packets, "about so many connections"));
  count("--requests", request->requests, of(requests, "queries (default 1.25e6, 1e6)"));
  add_parsed(
      generate, "--rate", "NUMBER", parse_rate, [request](double n) { request->rate = n; },
      of(requests, "queries a second (default 1e6, 535088)"));
  share("--answered", request->answered,
        of(requests, "share of queries with a response (default 0.4, 0.13)"));
  add_parsed(
      generate, "--longest", "TIME", parse_positive_duration,
      [request](Duration d) { request->longest = d; },
      of(&ModelChoice::heeds_longest, "the longest delay (default 4096ms)"));
  add_parsed(
      generate, "--duration", "TIME", parse_positive_duration,
      [request](Duration d) { request->duration = d; },
      "how long requests or connections begin (tcp: default 10s; others:\n"
      "as long as the number takes at the papers' rate)");
  share("--loss", request->loss, of(loss, "share of packets lost on the way (default 0)"));
  share("--reorder", request->reorder,
        of(loss, "share of packets overtaken on the way (default 0)"));
  add_parsed(
      generate, "--snap-length", "SIZE", &parse_size,
      [request](std::uint64_t n) {
        request->snap_length = static_cast<std::uint32_t>(std::min<std::uint64_t>(n, 262'144));
      },
      "bytes to keep of each packet, headers always (default 128)");
  generate
      .add_option("--truth", request->truth,
                  "where the truth goes (default FILE.truth.csv), - for standard output")
      ->type_name("FILE");
  add_seed(generate, request->seed, "another seed, another capture (default 1)");
  add_two_point_options(generate, *two_points);
  generate.callback([request, two_points, &generate, &run] {
    if (const auto reason = two_point_contradiction(*request, *two_points, generate);
        !reason.empty())
      throw CLI::ValidationError(reason);
    if (two_points->points == 2) {
      run = [request, two_points] { return run_generate_two_point(*request, *two_points); };
      return;
    }
    if (request->model.empty()) throw CLI::RequiredError("--model");
    if (const auto reason = contradiction(*request, generate); !reason.empty())
      throw CLI::ValidationError(reason);
    if (request->truth.empty()) request->truth = request->capture + ".truth.csv";
    run = [request] { return run_generate(*request); };
  });
}

}  // namespace sojourn
