#pragma once
// What a comparison with stored distributions says, in plain words.

#include <string>

#include "estimate/change/group_changes.h"
#include "estimate/expectation.h"

namespace sojourn {

/// "slower than expected: p50 31.20 ms was 20.10 ms, p95 40.00 ms was 25.00 ms (D = 0.31 at 25.10
/// ms, p < 1e-9)", or why nothing can be said.
std::string expect_sentence(const ExpectResult& result);

/// What the verdicts rest on, in one sentence.
std::string expect_promise(const ExpectComparison& comparison);

/// How many groups became slower or faster, and how far that can be relied on.
std::string changes_sentence(const GroupChanges& changes);

}  // namespace sojourn
