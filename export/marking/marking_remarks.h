#pragma once
// Problems with the marks that a live point sees, in sentences.

#include <string>
#include <vector>

#include "export/marking/marking_report_csv.h"

namespace sojourn {

/// Checks one interval after another, and reports most problems only once.
class MarkingRemarks {
 public:
  /// `who` must outlive this.
  explicit MarkingRemarks(const MarkingReporter& who) : who_(who) {}

  std::vector<std::string> of(const MarkingReport& report);

 private:
  std::vector<std::string> of_the_marker(const MarkingReport& report);
  std::vector<std::string> of_a_reader(const MarkingReport& report);

  const MarkingReporter& who_;
  bool in_use_ = false, rewritten_ = false;     ///< said already
  bool was_contrary_ = false, agreed_ = false;  ///< in the interval before
};

}  // namespace sojourn
