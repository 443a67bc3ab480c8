#pragma once
// The seed of random tests: fixed, unless set in the environment.

#include <cstdint>
#include <cstdlib>

namespace sojourn {

/// SOJOURN_TEST_SEED=7 estimate_test repeats a nightly run; tests print the seed when they fail.
inline std::uint64_t test_seed() {
  const char* const text = std::getenv("SOJOURN_TEST_SEED");
  return text ? std::strtoull(text, nullptr, 10) : 20'261'115;
}

}  // namespace sojourn
