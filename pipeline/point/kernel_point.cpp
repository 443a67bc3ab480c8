#include "pipeline/point/kernel_point.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <thread>

#include "dataplane/kernel_program.h"
#include "oneway/selection.h"
#include "pipeline/attachment_point.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Duration a_nap = 5ms;  // the ring holds far more than comes in that time
constexpr std::int64_t between_looks_ns = 100'000'000;

std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// From the program's clock to the one that points share.  Both run at the same rate, so it changes
/// only when the clock is set; asked anew for every batch.  Of three tries the one that was
/// interrupted least counts: its error is half the time it took.
std::int64_t monotonic_to_real_ns() {
  std::int64_t offset = 0, least = INT64_MAX;
  for (int i = 0; i < 3; ++i) {
    const std::int64_t before = clock_ns(CLOCK_MONOTONIC), real = clock_ns(CLOCK_REALTIME),
                       after = clock_ns(CLOCK_MONOTONIC);
    if (after - before >= least) continue;
    least = after - before;
    offset = real - (before + least / 2);
  }
  return offset;
}

}  // namespace

std::string beyond_the_kernel(const OnewayOptions& options) {
  if (!KernelProgram::missing().empty())
    return "this binary was built without the kernel engine: " +
           std::string{KernelProgram::missing()};
  if (options.sample_flows) return "the selection of whole flows is not in the kernel";
  const LabelOptions usual;
  if (options.label.function != usual.function ||
      options.label.payload_offset != usual.payload_offset ||
      options.label.payload_bytes != DP_LABEL_PAYLOAD)
    return "only labels by BOB over 40 bytes of payload are in the kernel";
  return {};
}

Result<std::unique_ptr<KernelPoint>> KernelPoint::open(const KernelPointOptions& options) {
  const auto point = find_attachment_point(options.interface);
  if (!point) return std::unexpected(point.error());
  auto program =
      SelectionProgram::load({.init = options.oneway.label.init,
                              .max = SelectionRange::of_share(options.oneway.sampling).max,
                              .ring_bytes = options.ring_bytes});
  if (!program) return std::unexpected(program.error());
  std::unique_ptr<KernelPoint> opened{new KernelPoint{std::move(*program)}};
  if (options.rtt) {
    auto rtt = KernelRtt::open(*options.rtt, &opened->samples_);
    if (!rtt) return std::unexpected(rtt.error());
    opened->rtt_.emplace(std::move(*rtt));
  }
  auto attached = Attachment::attach_tc(opened->program_.descriptor(), *point, TcDirection::both);
  if (!attached) return std::unexpected(attached.error());
  opened->attached_.emplace(std::move(*attached));
  return opened;
}

Source::Filled KernelPoint::next(std::span<Packet> batch) {
  samples_.clear();
  std::size_t count = 0;
  read_ring(batch, count);
  // With an empty ring, one reader may sleep only if the other ring is empty too: one batch per nap
  // is only 51 000 packets a second, and the ring would overflow.
  if (rtt_) rtt_->step(count == 0);
  if (count == 0 && !rtt_) std::this_thread::sleep_for(a_nap);
  look_after();
  return {count, gone_ && count == 0};
}

void KernelPoint::read_ring(std::span<Packet> batch, std::size_t& count) {
  bytes_.resize(batch.size() * DP_UNDECIDED_BYTES);
  const std::int64_t offset_ns = monotonic_to_real_ns();
  auto take = [&](const dp_handed& head, std::span<const std::byte> bytes) {
    std::byte* const at = bytes_.data() + count * DP_UNDECIDED_BYTES;
    std::memcpy(at, bytes.data(), bytes.size());
    batch[count++] = {
        .time = timestamp_from_ns(static_cast<std::int64_t>(head.time_ns) + offset_ns),
        .data = at,
        .captured = head.captured,
        .length = head.length,
        .link = LinkType::ethernet};
    return count < batch.size();
  };
  if (!batch.empty()) program_.read(take);
}

/// Counters are read behind the ring: what was handed over is among them.
void KernelPoint::look_after() {
  const dp_select_counters counters = program_.counters();
  counters_.packets = counters.seen;
  counters_.bytes = counters.bytes;
  counters_.kernel_drops = counters.unread;
  not_selected_ = counters.not_selected;
  const std::int64_t now_ns = clock_ns(CLOCK_MONOTONIC);
  if (now_ns - looked_ns_ < between_looks_ns) return;
  looked_ns_ = now_ns;
  gone_ = attached_->is_gone();
}

}  // namespace sojourn
