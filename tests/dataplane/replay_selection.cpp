// The same capture, two selections: each packet goes through the program in the kernel with its own
// time (BPF_PROG_TEST_RUN), and through the selection of user space.
//
//     sojourn-replay-selection CAPTURE...        all as one
//
// With sampling 1 every packet is reported: those that the kernel decided must have the label that
// user space gives them, bit by bit, for two init values.  With sampling 0.1 what the kernel drops
// must not be selected by user space either, and each packet is in one counter.
// Exit status 1 if any of these fails, 77 if the kernel does not allow it.

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "dataplane/selection_program.h"
#include "oneway/selection.h"
#include "tests/dataplane/replayed_capture.h"

namespace sojourn {
namespace {

struct Totals {
  std::uint64_t packets = 0, decided = 0, undecided = 0, kept_back = 0, wrong = 0;
};

void complain(Totals& totals, std::size_t number, const std::string& what) {
  if (++totals.wrong <= 10) fmt::print("  WRONG packet {}: {}\n", number, what);
}

Result<Totals> replay(const Capture& capture, std::uint32_t init, double sampling) {
  const SelectionRange range = SelectionRange::of_share(sampling);
  const LabelOptions label{.init = init};
  const PacketSelection selection{range, label};
  auto program = SelectionProgram::load({.init = init, .max = range.max, .replay = true});
  if (!program) return std::unexpected(program.error());
  Totals totals;
  IpLocator locator{1};
  for (std::size_t i = 0; i < capture.packets.size(); ++i) {
    Packet packet = capture.packets[i];
    packet.captured = packet.length = std::min(packet.captured, 2048u);  // as a test run has it
    if (auto run = program->replay(packet); !run) return std::unexpected(run.error());
    IpPacket whole, handed;
    const bool is_ip = locator.locate({&packet, 1}, {&whole, 1}) == 1;
    const bool selected = is_ip && selection.selects(whole);
    int count = 0;
    auto take = [&](const dp_handed& head, std::span<const std::byte> bytes) {
      ++count;
      ++(head.is_decided ? totals.decided : totals.undecided);
      const Packet part{.time = timestamp_from_ns(static_cast<std::int64_t>(head.time_ns)),
                        .data = bytes.data(),
                        .captured = head.captured,
                        .length = head.length,
                        .link = LinkType::ethernet};
      if (part.time != packet.time || part.length != packet.length)
        complain(totals, i, "another time or length");
      const bool found = locator.locate({&part, 1}, {&handed, 1}) == 1;
      if (head.is_decided && (!is_ip || head.label != label_of(whole, label)))
        complain(totals, i, fmt::format("label {:08x} in the kernel", head.label));
      if (found != is_ip ||
          (selected &&
           (label_of(handed, label) != label_of(whole, label) || handed.key() != whole.key() ||
            handed.ip_length != whole.ip_length || handed.tcp_flags != whole.tcp_flags)))
        complain(totals, i, "what was handed over reads differently");
      return true;
    };
    program->read(take);
    if (selected && count != 1) complain(totals, i, "selected and not handed over");
    if (sampling == 1 && count != 1) complain(totals, i, "not handed over");
  }
  const dp_select_counters counters = program->counters();
  totals.packets = capture.packets.size();
  totals.kept_back = counters.not_selected;
  if (counters.seen != totals.packets || counters.unread != 0 ||
      counters.seen != counters.not_selected + counters.selected + counters.undecided ||
      counters.selected != totals.decided || counters.undecided != totals.undecided) {
    fmt::print("  WRONG: the counters do not add up\n");
    ++totals.wrong;
  }
  return totals;
}

int replay_all(std::span<const std::string> paths) {
  const Capture capture = read_captures(paths);
  std::uint64_t wrong = 0, decided = 0, kept_back = 0;
  for (const auto& [init, sampling] :
       {std::pair{LabelOptions{}.init, 1.0}, std::pair{0x12345678u, 1.0}, std::pair{77u, 0.1}}) {
    const auto totals = replay(capture, init, sampling);
    if (!totals) {
      fmt::print("skipped: {}\n", totals.error().message);
      return 77;
    }
    fmt::print(
        "sampling {:<4} {} packets: {} decided in the kernel and handed over, {} kept back, "
        "{} left to user space, {} wrong\n",
        sampling, totals->packets, totals->decided, totals->kept_back, totals->undecided,
        totals->wrong);
    wrong += totals->wrong;
    decided += totals->decided;
    kept_back += totals->kept_back;
  }
  if (decided == 0 || kept_back == 0) fmt::print("WRONG: nothing was decided in the kernel\n");
  return wrong > 0 || decided == 0 || kept_back == 0 ? 1 : 0;
}

}  // namespace
}  // namespace sojourn

int main(int argc, char** argv) {
  const std::vector<std::string> paths(argv + 1, argv + argc);
  if (paths.empty()) {
    fmt::print(stderr, "usage: sojourn-replay-selection CAPTURE...\n");
    return 2;
  }
  return sojourn::replay_all(paths);
}
