#include "lab/recorder/record_traffic.h"

#include <vector>

namespace sojourn {

RecordedTraffic record_traffic(TrafficModel& model, CaptureWriter& capture, SampleSink& truth,
                               const std::function<bool(std::uint64_t packets)>& go_on) {
  constexpr std::uint64_t packets_per_call = 4096;
  RecordedTraffic made;
  LabFrame frame;
  std::vector<Sample> found;
  while (model.next(frame, found)) {
    capture.write(frame.time, frame.bytes, frame.length);
    if (!found.empty()) truth.take(found);
    made.samples += found.size();
    found.clear();
    if (made.packets == 0) made.first = frame.time;
    made.last = frame.time;
    if (++made.packets % packets_per_call == 0 && !go_on(made.packets)) break;
  }
  return made;
}

}  // namespace sojourn
