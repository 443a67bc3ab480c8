#pragma once
// Options and run of a point that sends reference packets, receives them, or both.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "apps/point/collector_link.h"
#include "core/time.h"
#include "dataplane/reference/reference_receiver.h"
#include "pipeline/reference/reference_sending.h"

namespace CLI {
class App;
}

namespace sojourn {

struct PointReferenceRequest {
  bool send = false, observe = false;
  ReferenceSendingOptions sending;
  ReferenceReceiverOptions receiving;
  std::optional<double> capacity;  ///< bytes a second
  std::optional<CollectorLinkOptions> to;
  std::string flows;  ///< CSV
  bool json = false;
  std::size_t top = 10;
  // As for any point.
  std::string interface, name;
  Duration every = std::chrono::seconds{10};
  std::optional<Duration> duration;

  bool wanted() const { return send || observe; }
};

void add_reference_options(CLI::App& point, PointReferenceRequest& request);
/// What contradicts or is missing, in one line; empty if all is well.
std::string complete_reference_request(PointReferenceRequest& request, const CLI::App& point);
/// Does what was asked and gives the exit status.
int run_point_reference(const PointReferenceRequest& request);

}  // namespace sojourn
