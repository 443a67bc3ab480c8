#pragma once
// The answers of a store, for people and for programs.

#include <string>
#include <vector>

#include "export/text_options.h"
#include "store/question.h"

namespace sojourn {

struct AnswerReport {
  Answer answer;
  std::vector<double> quantiles = {0.5, 0.95, 0.99};
  bool with_loss = false;
  bool with_delays = true;
  std::vector<PointLedger> ledgers;  ///< shown if there are any
  Timestamp now{};
};

std::string answer_text(const AnswerReport& report, const TextOptions& options);
std::string answer_json(const AnswerReport& report);
std::string answer_csv(const AnswerReport& report);

/// The one-way delays as an IPFIX file with the elements of RFC 9951 (ipfix/delay_records.h).
struct IpfixAnswer {
  std::string bytes;
  std::size_t records = 0;
  // Values that do not fit its elements.
  std::size_t negative = 0;  ///< by the clocks
  std::size_t too_long = 0;  ///< above an hour, or a sum that is too long
};
IpfixAnswer answer_ipfix(const AnswerReport& report);

}  // namespace sojourn
