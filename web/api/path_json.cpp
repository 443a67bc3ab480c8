// Points and segments found so far, and whether everything adds up.

#include <fmt/format.h>

#include "store/question.h"
#include "web/api/api.h"
#include "web/api/api_values.h"

namespace sojourn::web {
namespace {

Json clock_json(const std::optional<SegmentClock>& clock) {
  if (!clock) return nullptr;
  return {{"error_ns", or_null(clock->error_ns)},
          {"offset_low_ns", or_null(clock->offset_low_ns)},
          {"offset_high_ns", or_null(clock->offset_high_ns)}};
}

/// Of a point of marks or references: "running", "silent" (without a goodbye) or "ended".
Json marking_json(const PointLedger& ledger) {
  if (ledger.marking == MarkingState::none) return nullptr;
  return name_of(ledger.marking);
}

std::string_view reports_of(const PointLedger& ledger) {
  if (ledger[Account::references] > 0) return "references";
  return ledger.marking == MarkingState::none ? "flows" : "marks";
}

}  // namespace

Result<Json> path_json(Store& store, const QueryString& query, const ApiContext& context) {
  if (const auto name = query.stranger({"from_s", "to_s"}))
    return failure("path has no parameter '" + std::string{*name} + "'");
  const auto stretch = Stretch::parse(query, context.now);
  if (!stretch) return std::unexpected(stretch.error());
  Question question;
  question.from = stretch->from;
  question.to = stretch->to;
  question.loss = true;
  question.columns = 1;
  const auto answer = ask(store, question);
  if (!answer) return std::unexpected(answer.error());
  Json segments = Json::array(), rounds = Json::array();
  for (const AnswerSubject& subject : answer->subjects)
    for (const AnswerRow& row : subject.rows) {
      Json json = json_of(row.delays);
      const bool oneway = row.measure == number_of(Measure::oneway);
      const auto colon = subject.name.find(':');
      json["subject"] = subject.name;
      json["newest_s"] = seconds_or_null(subject.newest);
      if (oneway) {
        json["from"] = subject.name.substr(0, colon);
        json["to"] =
            colon == std::string::npos ? Json(nullptr) : Json(subject.name.substr(colon + 1));
        json["loss"] = row.loss ? json_of(*row.loss) : Json(nullptr);
        json["clock"] = clock_json(subject.clock);
        segments.push_back(std::move(json));
      } else {
        json["kind"] = measure_name(row.measure);
        json["leg"] = leg_names[row.leg];
        rounds.push_back(std::move(json));
      }
    }
  const auto ledgers = store.ledgers();
  if (!ledgers) return std::unexpected(ledgers.error());
  Json points = Json::array();
  for (std::size_t i = 0; i < ledgers->size(); ++i) {
    const PointLedger& ledger = (*ledgers)[i];
    // Of several instances of a point, the one heard last.
    bool newest = true;
    for (const PointLedger& other : *ledgers)
      if (other.point == ledger.point && other.last_heard > ledger.last_heard) newest = false;
    if (!newest) continue;
    points.push_back({{"name", ledger.point},
                      {"last_heard_s", seconds_since_1970(ledger.last_heard)},
                      {"clock_error_ns", or_null(ledger.clock_error_ns)},
                      {"reports", reports_of(ledger)},
                      {"marking", marking_json(ledger)}});
  }
  return Json{{"now_s", seconds_since_1970(context.now)},
              {"from_s", seconds_since_1970(stretch->from)},
              {"to_s", seconds_since_1970(stretch->to)},
              {"points", points},
              {"segments", segments},
              {"round_trips", rounds}};
}

Result<Json> health_json(Store& store, const QueryString& query, const ApiContext& context) {
  if (query.stranger({})) return failure("health has no parameters");
  const auto ledgers = store.ledgers();
  if (!ledgers) return std::unexpected(ledgers.error());
  const auto age = store.age();
  if (!age) return std::unexpected(age.error());
  Json list = Json::array();
  for (const PointLedger& ledger : *ledgers) {
    Json accounts = Json::object();
    for (std::size_t i = 0; i < account_names.size(); ++i)
      accounts[std::string{account_names[i]}] = ledger[static_cast<Account>(i)];
    accounts["not_received"] = ledger.not_received();
    list.push_back({{"point", ledger.point},
                    {"instance", fmt::format("{:016x}", ledger.instance)},
                    {"first_heard_s", seconds_since_1970(ledger.first_heard)},
                    {"last_heard_s", seconds_since_1970(ledger.last_heard)},
                    {"clock_error_ns", or_null(ledger.clock_error_ns)},
                    {"reports", reports_of(ledger)},
                    {"marking", marking_json(ledger)},
                    {"fault", ledger.fault().empty() ? Json(nullptr) : Json(ledger.fault())},
                    {"accounts", accounts}});
  }
  return Json{{"now_s", seconds_since_1970(context.now)},
              {"written_s", seconds_or_null(age->written)},
              {"ledgers", list},
              {"process", context.process()}};
}

}  // namespace sojourn::web
