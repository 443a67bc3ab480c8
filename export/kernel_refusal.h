#pragma once
// Why a live run does not measure in the kernel: in its report, or as the error of --engine kernel.

#include <cstdint>
#include <string>
#include <string_view>

namespace sojourn {

/// What of a request for round trips the kernel's engine cannot do.
struct KernelRefusal {
  enum class What : std::uint8_t {
    not_built,      ///< `name`: what this binary was built without
    table,          ///< `name`: of the table
    any_interface,  ///< -i any
    filter,
    grouping,  ///< `name`: of the grouping
    names,
    loss,
    conversation,  ///< `name`: of the kind that follows every conversation
    quic,
    flow,
    little_memory,
    histograms,  ///< `mebibytes`: what they need
  };
  What what{};
  std::string name = {};
  std::uint64_t mebibytes = 0;
};
std::string sentence_of(const KernelRefusal& refusal);

/// The same for a point: `what` ("--filter", "kind tls") is measured from a socket alone.
std::string only_in_socket(std::string_view what);

}  // namespace sojourn
