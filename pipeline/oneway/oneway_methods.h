#pragma once
// The methods of one-way measurement, by name.  A new one is a file with a function that makes it,
// and a line in oneway_methods.cpp.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "oneway/cnf/cnf_method.h"
#include "oneway/method.h"
#include "pipeline/oneway/oneway_setup.h"

namespace sojourn {

using MadeMethod = Result<std::unique_ptr<OnewayMethod>>;

/// Settings that a method cannot have.
enum class MethodRefusal : std::uint8_t {
  active_timeout_too_short,
  references_sampled,
  capacity_unknown,
  trajectory_of_all_packets,
  lda_sampled
};

/// One line, without the names that a front end gives to the settings.
std::string_view reason_of(MethodRefusal refusal);

struct MethodChoice {
  std::string_view name;
  std::string_view summary;  ///< one line
  /// What `refuse` says, or other settings that exclude each other: the error is one line.
  MadeMethod (*make)(const OnewaySetup& setup);
  /// Has delays of single packets, and so quantiles of them.
  bool samples_packets = false;
  /// Works on flow records too, with this estimator.
  std::optional<CnfEstimator> joins_records{};
  /// Would not notice captures that do not belong together.
  bool compares_no_packets = false;
  bool reads_references = false;  ///< goes by reference packets
  bool reads_marks = false;       ///< goes by marks in the headers
  /// Without it nothing that a front end would say in its own words.
  std::optional<MethodRefusal> (*refuse)(const OnewaySetup& setup) = nullptr;
};

std::span<const MethodChoice> oneway_methods();
/// Those of some methods, in the order of the list.
std::vector<std::string_view> oneway_method_names(bool (*which)(const MethodChoice&));
const MethodChoice* oneway_method_named(std::string_view name);

}  // namespace sojourn
