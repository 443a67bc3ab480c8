#pragma once
// The file of --save-distribution and --expect (docs/design/expect.md has its format).

#include <string>
#include <string_view>

#include "core/result.h"
#include "estimate/expectation.h"

namespace sojourn {

/// JSON, identical for identical distributions.
std::string distribution_file(const Expectation& expectation);

/// Reads what distribution_file() wrote.  The error says in one line what is wrong with the text,
/// for any input.
Result<Expectation> parse_distribution_file(std::string_view text);

}  // namespace sojourn
