#pragma once
// What the user asked `sojourn generate` to make.

#include <cstdint>
#include <optional>
#include <string>

#include "core/time.h"

namespace sojourn {

/// What is not said takes the model's own value.
struct GenerateRequest {
  std::string model;
  std::string capture;  ///< file to write, "-" for standard output
  std::string truth;    ///< CSV; empty: beside the capture
  std::optional<std::uint64_t> requests = {};
  std::optional<std::uint64_t> packets = {};
  std::optional<std::uint64_t> flows = {};
  std::optional<double> rate = {};  ///< requests a second
  std::optional<Duration> duration = {};
  std::optional<Duration> longest = {};
  std::optional<double> answered = {};
  std::optional<double> loss = {};
  std::optional<double> reorder = {};
  std::uint32_t snap_length = 128;
  std::uint64_t seed = 1;
};

/// Does what was asked and gives the exit status.
int run_generate(const GenerateRequest& request);

}  // namespace sojourn
