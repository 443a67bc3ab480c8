#include "export/lab/generated_text.h"

#include <fmt/format.h>

#include "core/printable.h"
#include "core/units.h"

namespace sojourn {

std::string generated_text(const GeneratedFiles& files, const RecordedTraffic& made) {
  return fmt::format("{}: {} packets in {}, model {}, seed {}\n{}: {} samples\n",
                     printable(files.capture), format_count(made.packets),
                     format_duration(made.last - made.first), files.model, files.seed,
                     printable(files.truth), format_count(made.samples));
}

std::string generated_text(const std::string& name, const TwoPointTrace& trace,
                           const TwoPointTruth& truth) {
  return fmt::format(
      "{0}.first.pcap: {1} packets\n{0}.last.pcap: {2} packets\n{0}.delays.csv: {3} delays\n"
      "{0}.flows.csv: {4} flows, {5} packets lost\n",
      printable(name), format_count(trace.sent.size()), format_count(trace.arrivals.size()),
      format_count(truth.delays.size()), format_count(truth.flows.size()),
      format_count(truth.lost));
}

}  // namespace sojourn
