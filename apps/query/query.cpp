// `sojourn query`: asks a store.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/commands.h"
#include "apps/option_helpers.h"
#include "apps/query/query_marks.h"
#include "apps/query/query_references.h"
#include "console/exit_status.h"
#include "console/output.h"
#include "console/terminal.h"
#include "console/this_process.h"
#include "core/time.h"
#include "core/units.h"
#include "export/files/run_files.h"
#include "export/store/answer_report.h"
#include "naming/group_choice.h"
#include "store/question.h"

namespace sojourn {

struct QueryRequest {
  std::string store;
  Duration since = std::chrono::hours{1};
  std::vector<std::string> subjects;
  std::optional<std::size_t> groups;  ///< as GroupChoice has it
  std::vector<double> quantiles = {0.5, 0.95, 0.99};
  std::vector<std::string> marks;  ///< points whose marks are joined
  bool references = false;
  std::string references_of;  ///< a point; empty: all
  bool loss = false, join = false, ledger = false, json = false, csv = false, ipfix = false;
};

namespace {

Result<void> query(const QueryRequest& request) {
  auto store =
      request.join ? open_store_for_joining(request.store) : open_store_for_reading(request.store);
  if (!store) return std::unexpected(store.error());
  AnswerReport report;
  report.now = wall_clock();
  report.quantiles = request.quantiles;
  report.with_loss = request.loss;
  // The ledger alone, unless something else is asked for as well.
  report.with_delays = !request.ledger || request.loss || !request.subjects.empty();
  Question question;
  question.from = report.now - request.since;
  question.to = slice_of(report.now, finest_slice) + finest_slice;
  question.subjects = request.subjects;
  if (request.groups) question.group_by(*request.groups);
  question.loss = request.loss;
  auto answer = ask(**store, question);
  if (!answer) return std::unexpected(answer.error().while_doing("cannot ask " + request.store));
  report.answer = std::move(*answer);
  if (request.ledger) {
    auto ledgers = (*store)->ledgers();
    if (!ledgers) return std::unexpected(ledgers.error());
    report.ledgers = std::move(*ledgers);
  }
  if (request.ipfix) {
    const IpfixAnswer made = answer_ipfix(report);
    say_text(made.bytes);
    const std::size_t rows = made.records + made.negative + made.too_long;
    if (made.negative > 0)
      warn(fmt::format("{} of {} delays are negative, by the clocks, and were left out",
                       made.negative, rows));
    if (made.too_long > 0)
      warn(
          fmt::format("{} of {} delays are above an hour, which the records cannot tell, and were "
                      "left out",
                      made.too_long, rows));
    if (rows == 0) warn("there are no one-way delays of this time: --since goes further back");
    return {};
  }
  say_text(request.json  ? answer_json(report)
           : request.csv ? answer_csv(report)
                         : answer_text(report, {.color = false, .unicode = unicode_wanted()}));
  return {};
}

}  // namespace

static int run_query(const QueryRequest& request) {
  if (!request.marks.empty()) {
    const auto status = query_marks({request.store, request.since, request.marks, request.json});
    if (status) return *status;
    complain(status.error().message);
    return exit_error;
  }
  RunFiles files;
  files.reads(request.store);
  if (const auto opened = open_output(files); !opened) {
    complain(opened.error().message);
    return exit_error;
  }
  const auto done = request.references
                        ? query_references({request.store, request.since, request.references_of,
                                            request.json, request.csv})
                        : query(request);
  if (done) return exit_ok;
  complain(done.error().message);
  return exit_error;
}

namespace {

constexpr const char* query_examples = R"(Examples:
  sojourn query sojourn.db                                  the last hour of every segment
  sojourn query sojourn.db --segment north:south --loss     one of them, with its loss
  sojourn query sojourn.db --since 24h --by prefix/24       by destination prefix
  sojourn query sojourn.db --quantiles 50,99,99.9 --json    for programs
  sojourn query sojourn.db --since 10min --marks north:south   marked traffic, per interval
  sojourn query sojourn.db --references south               flows' delays by reference packets
  sojourn query sojourn.db --ledger                         does everything add up?
)";

/// "prefix/24", "host", "port" or "flow"
Result<std::size_t> parse_query_groups(std::string_view text) {
  constexpr std::string_view start = "prefix/";
  if (const auto groups = GroupChoice::named(text)) return *groups;
  if (text.starts_with(start))
    if (const auto groups = GroupChoice::prefixes(text.substr(start.size()))) return *groups;
  return failure(
      fmt::format("'{}' is neither prefix/N, with N from 1 to 32, nor host, port or flow", text));
}

/// "50,95,99"
Result<std::vector<double>> parse_percentiles(std::string_view text) {
  std::vector<double> quantiles;
  for (const std::string_view part : split_at_commas(text)) {
    const auto percent = parse_between(part, 0, 100);
    if (!percent) return std::unexpected(percent.error());
    quantiles.push_back(*percent / 100);
  }
  return quantiles;
}

}  // namespace

void add_query(CLI::App& app, Run& run) {
  const auto request = std::make_shared<QueryRequest>();
  CLI::App& query = *app.add_subcommand("query", "ask what a collector has stored");
  query.footer(query_examples);
  query.get_formatter()->column_width(34);
  query.add_option("STORE", request->store, "what `sojourn collect --store` writes")
      ->type_name("")
      ->required();
  add_parsed(
      query, "--since", "TIME", parse_positive_duration,
      [request](Duration since) { request->since = since; }, "how far back (default 1h)");
  query
      .add_option("--segment", request->subjects,
                  "FIRST:LAST, or a point for its round trips; repeatable\n(default all)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  add_parsed(
      query, "--by", "prefix/N|host|port|flow", parse_query_groups,
      [request](std::size_t groups) { request->groups = groups; },
      "a row for each destination prefix, too, or for each host,\nserver's port or flow (where "
      "`--prefix` kept them)");
  add_parsed(
      query, "--quantiles", "LIST", parse_percentiles,
      [request](const std::vector<double>& list) { request->quantiles = list; },
      "in percent (default 50,95,99)");
  add_parsed(
      query, "--marks", "FIRST:LAST", parse_mark_points,
      [request](const std::vector<std::string>& points) { request->marks = points; },
      "loss and delay per interval of alternate marking between\nthese points, as sojourn oneway "
      "tells them; FIRST:MID:LAST\nhas the way in parts");
  query
      .add_option_function<std::vector<std::string>>(
          "--references",
          [request](const std::vector<std::string>& points) {
            request->references = true;
            if (!points.empty()) request->references_of = points.front();
          },
          "flows' delays by reference packets at this point, or at all\nthat sent some; --csv has "
          "them by interval")
      ->type_name("[POINT]")
      ->expected(0, 1);
  query.add_flag("--loss", request->loss, "share of packets that were lost");
  query.add_flag("--join", request->join,
                 "ClickHouse: join the packets of the last two days anew, of\n"
                 "all collectors together, instead of adding up what each found");
  query.add_flag("--ledger", request->ledger, "what became of each point's packets and records");
  auto* json = query.add_flag("--json", request->json, "one JSON document");
  auto* csv = query.add_flag("--csv", request->csv, "a line for each quantile")->excludes(json);
  query
      .add_flag("--ipfix", request->ipfix,
                "one-way delays as an IPFIX file, by the elements of RFC 9951")
      ->excludes(json)
      ->excludes(csv);
  query.callback([request, &query, &run] {
    if (!request->marks.empty())
      for (const char* option :
           {"--segment", "--by", "--quantiles", "--loss", "--join", "--ledger", "--csv", "--ipfix"})
        if (query.count(option) > 0)
          throw CLI::ValidationError(fmt::format("{} does not go with --marks", option));
    if (request->references)
      for (const char* option : {"--marks", "--segment", "--by", "--quantiles", "--loss", "--join",
                                 "--ledger", "--ipfix"})
        if (query.count(option) > 0)
          throw CLI::ValidationError(fmt::format("{} does not go with --references", option));
    if (request->references && request->csv && request->references_of.empty())
      throw CLI::ValidationError("--references needs a POINT with --csv: its lines name none");
    if (request->ipfix && (request->ledger || request->loss))
      throw CLI::ValidationError(
          "--ipfix writes one-way delays: loss and ledgers are in --json and --csv");
    if (request->ipfix && ::isatty(STDOUT_FILENO) != 0)
      throw CLI::ValidationError("--ipfix writes bytes, not for a terminal: > delays.ipfix");
    run = [request] { return run_query(*request); };
  });
}

}  // namespace sojourn
