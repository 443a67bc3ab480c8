#include "pipeline/point/point_loop.h"

#include <chrono>
#include <thread>
#include <vector>

namespace sojourn {

bool feed_point(const PointFeed& feed, PointRun& run, const std::atomic<bool>& stop,
                const GoOn& go_on, const std::function<void()>& reported) {
  bool is_over = false;
  std::vector<Packet> batch(256);
  loop_live(stop, go_on, [&] {
    const Source::Filled filled = feed.source.next(batch);
    run.process({batch.data(), filled.count});
    run.note_drops(feed.source.counters().kernel_drops);
    if (feed.kernel) {
      run.take(feed.kernel->samples());
      run.note_passed_over(feed.kernel->not_selected());
    }
    const bool has_reported = feed.clock
                                  ? run.advance(feed.clock())
                                  : filled.count > 0 && run.advance(batch[filled.count - 1].time);
    if (has_reported) reported();
    is_over = filled.end;
    return !filled.end;
  });
  run.finish();
  return is_over;
}

void wait_for_room(const ipfix::Spool& spool, std::size_t bytes, const std::atomic<bool>& stop,
                   const std::function<bool()>& connected) {
  while (spool.bytes_on_disk() > bytes / 2 && connected() && !spool.counters().empty() && !stop)
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
}

}  // namespace sojourn
