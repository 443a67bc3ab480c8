#include <fmt/format.h>

#include "export/csv_field.h"
#include "export/store/answer_report.h"
#include "export/store/estimate_json.h"
#include "naming/stored_group.h"

namespace sojourn {
namespace {

Json json_of(const AnswerRow& row, const std::vector<double>& quantiles, bool with_loss) {
  const bool oneway = row.measure == number_of(Measure::oneway);
  Json json = {
      {"kind", oneway ? Json("oneway") : Json(kind_names[row.measure])},
      {"leg", oneway ? Json(nullptr) : Json(leg_names[row.leg])},
      {"prefix", row.prefix ? Json(group_name(*row.prefix)) : Json(nullptr)},
      {"weight", number_or_null(row.delays.total_weight())},
      {"effective_samples", row.delays.effective_samples()},
      {"mean_ns", ns_or_null(row.delays.mean())},
  };
  json["quantiles"] = quantiles_json(row.delays, quantiles);
  if (with_loss) json["loss"] = row.loss ? json_of(*row.loss) : Json(nullptr);
  Json course = Json::array();
  for (const auto& delay : row.course) course.push_back(ns_or_null(delay));
  json["mean_over_time_ns"] = course;
  return json;
}

Json json_of(const PointLedger& ledger) {
  Json json = {{"point", ledger.point},
               {"instance", fmt::format("{:016x}", ledger.instance)},
               {"first_heard_ns", to_ns(ledger.first_heard)},
               {"last_heard_ns", to_ns(ledger.last_heard)},
               {"marking", ledger.marking == MarkingState::none ? Json(nullptr)
                                                                : Json(name_of(ledger.marking))}};
  for (std::size_t i = 0; i < account_names.size(); ++i)
    json[std::string{account_names[i]}] = ledger[static_cast<Account>(i)];
  json["not_received"] = ledger.not_received();
  json["adds_up"] = ledger.fault().empty();
  return json;
}

}  // namespace

std::string answer_json(const AnswerReport& report) {
  Json document = {{"from_ns", to_ns(report.answer.from)},
                   {"to_ns", to_ns(report.answer.to)},
                   {"written_ns", ns_or_null(report.answer.age.written)},
                   {"losses_until_ns", ns_or_null(report.answer.age.judged_until)}};
  Json subjects = Json::array();
  for (const AnswerSubject& subject : report.answer.subjects) {
    Json json = {{"name", subject.name}, {"newest_ns", ns_or_null(subject.newest)}};
    if (subject.clock)
      json["clock"] = {{"error_ns", or_null(subject.clock->error_ns)},
                       {"offset_low_ns", or_null(subject.clock->offset_low_ns)},
                       {"offset_high_ns", or_null(subject.clock->offset_high_ns)}};
    Json rows = Json::array();
    for (const AnswerRow& row : subject.rows)
      rows.push_back(json_of(row, report.quantiles, report.with_loss));
    json["rows"] = rows;
    subjects.push_back(json);
  }
  if (report.with_delays) document["subjects"] = subjects;
  if (!report.ledgers.empty()) {
    Json ledgers = Json::array();
    for (const PointLedger& ledger : report.ledgers) ledgers.push_back(json_of(ledger));
    document["ledgers"] = ledgers;
  }
  return document_text(document);
}

std::string answer_csv(const AnswerReport& report) {
  std::string text =
      "subject,kind,leg,prefix,weight,effective_samples,quantile,delay_ns,low_ns,high_ns,"
      "sent,arrived,unseen,loss,loss_low,loss_high\n";
  for (const AnswerSubject& subject : report.answer.subjects)
    for (const AnswerRow& row : subject.rows) {
      const bool oneway = row.measure == number_of(Measure::oneway);
      const auto estimates = row.delays.estimates(report.quantiles);
      for (std::size_t i = 0; i < estimates.size(); ++i) {
        const Interval& interval = estimates[i].interval;
        text += fmt::format(
            "{},{},{},{},{},{:.1f},{},{},{},{}", csv_field(subject.name),
            oneway ? "oneway" : kind_names[row.measure], oneway ? "" : leg_names[row.leg],
            row.prefix ? group_name(*row.prefix) : "", row.delays.total_weight(),
            row.delays.effective_samples(), report.quantiles[i], to_ns(estimates[i].delay),
            interval.bounded_below ? fmt::format("{}", to_ns(interval.low)) : "",
            interval.bounded_above ? fmt::format("{}", to_ns(interval.high)) : "");
        if (row.loss)
          text += fmt::format(",{},{},{},{},{},{}\n", row.loss->sent, row.loss->arrived,
                              row.loss->unseen, row.loss->share, row.loss->low, row.loss->high);
        else
          text += ",,,,,,\n";
      }
    }
  return text;
}

}  // namespace sojourn
