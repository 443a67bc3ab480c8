#pragma once
// Sentences about two captures or files of records: what is doubtful, and why there is no result.

#include <cmath>
#include <string>

#include "export/oneway/oneway_report.h"
#include "oneway/cnf/record_diagnosis.h"
#include "pipeline/oneway/capture_diagnosis.h"
#include "pipeline/oneway/oneway_doubts.h"

namespace sojourn {

/// To the nanosecond.
inline Duration rounded(double ns) { return Duration{std::llround(ns)}; }

std::string sentence_of(const OnewayDoubt& doubt, const OnewayReport& report);

/// One line: why two captures gave nothing.  `filtered`: a filter chose among their packets.
std::string sentence_of(const CaptureDiagnosis& diagnosis, const OnewayReport& report,
                        bool filtered);

/// One line: why two files of records gave nothing.
std::string sentence_of(const RecordDiagnosis& diagnosis, const OnewayReport& report);

/// The sentence about the clocks.
std::string clock_sentence(const OnewayReport& report);

}  // namespace sojourn
