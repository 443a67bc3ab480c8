#pragma once
// The result of a comparison with stored distributions, as sentences.

#include <string>

#include "estimate/change/group_changes.h"
#include "estimate/expectation.h"

namespace sojourn {

/// "slower than expected: p50 31.20 ms was 20.10 ms, p95 40.00 ms was 25.00 ms (D = 0.31 at 25.10
/// ms, p < 1e-9)", or why there is no verdict.
std::string expect_sentence(const ExpectResult& result);

/// The basis of the verdicts, in one sentence.
std::string expect_promise(const ExpectComparison& comparison);

/// How many groups became slower or faster, and how reliable that is.
std::string changes_sentence(const GroupChanges& changes);

}  // namespace sojourn
