#pragma once
// Learns the names of hosts from DNS answers and TLS hellos in the traffic; exists only with
// --names.

#include <memory>
#include <span>
#include <utility>

#include "core/host_names.h"
#include "pipeline/rtt_options.h"
#include "wire/summary.h"

namespace sojourn {

class NameObserver {
 public:
  explicit NameObserver(std::shared_ptr<HostNames> names) : names_(std::move(names)) {}

  /// The most hosts it remembers.
  static std::size_t most_hosts(const RttOptions& options);

  void look_at(std::span<const Summary> batch);

  HostNames& names() { return *names_; }

 private:
  std::shared_ptr<HostNames> names_;  ///< the labels of groups look there
};

}  // namespace sojourn
