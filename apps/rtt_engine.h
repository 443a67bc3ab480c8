#pragma once
// Where a live run of `sojourn rtt` measures: in the kernel, or here from a packet socket.

#include <optional>
#include <string>

#include "apps/rtt_request.h"
#include "capture/source.h"
#include "core/result.h"
#include "export/rtt/rtt_report.h"
#include "pipeline/kernel_rtt.h"

namespace sojourn {

struct LiveEngine {
  std::optional<KernelRtt> kernel;  ///< empty: the socket
  std::string why;                  ///< why this one, if the user left it open
};

/// Opens the kernel's engine if it is wanted and can be had.
Result<LiveEngine> open_engine(const RttRequest& request, SampleSink* sink);

/// What the measurement itself cost, for the end of the report.
EngineSummary engine_summary(const KernelRtt& run, const LiveEngine& engine);
EngineSummary engine_summary(const Source& source, const LiveEngine& engine);

}  // namespace sojourn
