#include "pipeline/reference/reference_observing.h"

#include <array>
#include <bit>
#include <chrono>
#include <thread>
#include <utility>

#include "wire/headers/reference_packet.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

constexpr auto look = 50ms;
/// A packet that was under way when the tables were turned is through by then.
constexpr auto grace = 20ms;
/// What waits longer is settled without the reference packet that does not come.
constexpr Duration last_patience = 200ms;

Timestamp wall_now() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

rp_counters less(const rp_counters& now, const rp_counters& before) {
  using Words = std::array<std::uint64_t, sizeof(rp_counters) / sizeof(std::uint64_t)>;
  auto words = std::bit_cast<Words>(now);
  const auto past = std::bit_cast<Words>(before);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] -= past[i];
  return std::bit_cast<rp_counters>(words);
}

ReferenceSeen seen_of(const rp_counters& counters) {
  std::uint64_t unread = 0;
  for (const std::uint64_t skipped : counters.skipped) unread += skipped;
  return {.references = counters.references,
          .lost = counters.references_lost,
          .reordered = counters.references_reordered,
          .of_others = counters.references_of_others,
          .off = counters.references_off,
          .before_first = counters.before_first,
          .after_last = counters.after_last,
          .no_room = counters.no_room,
          .unread = unread};
}

}  // namespace

Result<ReferenceObserving> ReferenceObserving::open(const AttachmentPoint& point,
                                                    const ReferenceReceiverOptions& options) {
  auto receiver = ReferenceReceiver::load(options);
  if (!receiver) return std::unexpected(receiver.error());
  auto attachment = Attachment::attach_tc(receiver->descriptor(), point, TcDirection::ingress);
  if (!attachment) return std::unexpected(attachment.error());
  return ReferenceObserving{std::move(*receiver), std::move(*attachment),
                            absorb_references(default_reference_port)};
}

void ReferenceObserving::run(Duration every, const std::function<bool()>& ended,
                             const std::function<void(const ReferenceInterval&)>& take) {
  rp_counters before = receiver_.counters();
  bool goes_on = true;
  for (Timestamp begin = wall_now(); goes_on;) {
    const auto turn_at = SteadyClock::now() + every;
    auto next_look = SteadyClock::now() + 1s;
    while ((goes_on = !ended()) && SteadyClock::now() < turn_at) {
      std::this_thread::sleep_for(std::min<Duration>(look, turn_at - SteadyClock::now()));
      if (SteadyClock::now() < next_look) continue;
      receiver_.follow_clock();
      next_look += 1s;
    }
    receiver_.turn();
    const Timestamp end = wall_now();
    std::this_thread::sleep_for(grace);
    const auto give_up = SteadyClock::now() + (goes_on ? ReferenceRun::patience : last_patience);
    while (!receiver_.is_settled() && SteadyClock::now() < give_up)
      std::this_thread::sleep_for(5ms);
    const rp_counters now = receiver_.counters();
    take({begin, end, receiver_.take(), seen_of(less(now, before))});
    before = now;
    begin = end;
  }
}

}  // namespace sojourn
