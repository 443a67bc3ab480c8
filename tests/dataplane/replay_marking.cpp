// The same capture, two markers: each packet goes through the marking program in the kernel with
// its own time (BPF_PROG_TEST_RUN), and through the marker of user space.
//
//     sojourn-replay-marking [--together] CAPTURE...
//
// --together: in one replay, by their times.  Loading the programs takes longer than the packets of
// small captures.
//
// Every method on every carrier that a live point has, as the point that marks, one that observes
// and one that restores: the bytes of every packet and the record of every flow and interval are
// equal. Packets that only one side looks at are left out before and counted: those in tunnels
// (user space marks none of them, the kernel marks the tunnel's own header) and behind MPLS or
// PPPoE, in LLC, or behind other tags.  Behind a VLAN tag that is part of the frame, or
// behind 256 bytes of other headers, the kernel makes no room for the option, so those are left out
// where it carries the marks.  Copies are found
// by the last 65 536 packets, each side by a hash of its own, so either may have forgotten the
// first of two where the other has not.
//
// One line for each capture, and for every 20 000 packets of a long one.  Exit status 1 if anything
// differs, 77 if the kernel does not allow it.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/units.h"
#include "dataplane/marking/marking_program.h"
#include "oneway/marking/marking_monitor.h"
#include "oneway/marking/marking_pairing.h"
#include "pipeline/marking/marker.h"
#include "tests/dataplane/replayed_capture.h"
#include "wire/walk.h"

namespace sojourn {
namespace {

constexpr std::uint64_t seed = 1;
constexpr std::size_t longest = 2048;  // that a test run takes

struct Case {
  const char* method;
  const char* carrier;
};
constexpr Case cases[] = {
    {"multiplexed", "dscp"},   {"double", "dscp:1,0"},           {"step", "reserved"},
    {"pulse", "flow-label:3"}, {"multiplexed", "flow-label:18"}, {"step", "dscp:5"},
    {"double", "hop-by-hop"},  {"multiplexed", "destination"},   {"pulse", "hop-by-hop"}};

bool takes_long(const Case& one) {
  return MarkingCarrier::parse(one.carrier)->kind() == CarrierKind::option;
}

/// All traffic, and parts of it told by every kind of bit.
std::vector<std::vector<MarkingFilter>> flow_lists(const Capture& capture) {
  std::vector<MarkingFilter> several;
  IpLocator locator{seed};
  for (std::size_t i = 0; i < capture.packets.size() && several.size() < 12;
       i += capture.packets.size() / 7 + 1) {
    IpPacket packet;
    if (locator.locate({&capture.packets[i], 1}, {&packet, 1}) == 0) continue;
    const FlowKey key = packet.key();
    several.push_back(MarkingFilter::of(key));
    several.push_back({.source = Prefix{key.source, 13}});
    several.push_back({.destination_port = key.destination_port, .protocol = key.protocol});
  }
  several.push_back(*MarkingFilter::parse("protocol=udp"));
  return {{MarkingFilter{}}, several};
}

unsigned type_at(const Packet& packet, std::size_t offset) {
  return std::to_integer<unsigned>(packet.data[offset]) << 8 |
         std::to_integer<unsigned>(packet.data[offset + 1]);
}

/// Where the program finds the IP header: Ethernet, up to two VLAN tags.
std::size_t kernels_offset(const Packet& packet) {
  std::size_t at = 12;
  for (int tags = 0; tags < 2 && at + 6 <= packet.captured; ++tags)
    if (const unsigned type = type_at(packet, at); type == 0x8100 || type == 0x88a8) at += 4;
  return at + 2;
}

/// Only what both sides take for a packet of its own.
std::size_t leave_out(Capture& capture) {
  return std::erase_if(capture.packets, [](Packet& packet) {
    packet.captured = std::min<std::uint32_t>(packet.captured, longest);
    LocatedPacket located;
    (void)locate(packet, located);
    if (!located.outer.ip || located.outer.ip != located.inner.ip) return true;
    return static_cast<std::size_t>(located.outer.ip - packet.data) != kernels_offset(packet);
  });
}

/// Whether the kernel would put the option in: no tag before IPv6, and not more than 256 bytes of
/// other headers to be moved (MK_MOST_MOVED).
bool may_get_option(const Packet& packet) {
  if (kernels_offset(packet) != 14) return false;
  if (type_at(packet, 12) != 0x86dd) return true;
  constexpr std::size_t ip = 14, most_moved = 256;
  unsigned next = std::to_integer<unsigned>(packet.data[ip + 6]);
  std::size_t at = ip + 40;
  while ((next == 0 || next == 43 || next == 60) && at + 2 <= packet.captured) {
    next = std::to_integer<unsigned>(packet.data[at]);
    at += (std::to_integer<std::size_t>(packet.data[at + 1]) + 1) * 8;
  }
  return at <= ip + 40 + most_moved;
}

/// A chain of extension headers, each with its number; `next` of each is filled in.
struct Chain {
  std::vector<std::pair<unsigned, std::vector<unsigned>>> headers;
};
const std::vector<Chain>& chains() {
  const std::pair<unsigned, std::vector<unsigned>> hop{0, {0, 0, 1, 4, 0, 0, 0, 0}},
      alert{0, {0, 1, 5, 2, 0, 0, 1, 8, 0, 0, 0, 0, 0, 0, 0, 0}},
      marked{0, {0, 1, 0x12, 4, 0, 0, 0x0c, 0, 1, 6, 0, 0, 0, 0, 0, 0}},
      bad{0, {0, 0, 1, 9, 0, 0, 0, 0}}, destination{60, {0, 0, 0, 0, 1, 2, 0, 0}},
      routing{43, {0, 0, 0, 0, 0, 0, 0, 0}},
      authentication{51, {0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2}};
  static const std::vector<Chain> all = {{{}},
                                         {{hop}},
                                         {{alert}},
                                         {{destination}},
                                         {{hop, destination}},
                                         {{alert, routing, destination}},
                                         {{routing}},
                                         {{authentication}},
                                         {{bad}},
                                         {{marked}},
                                         {{destination, hop}}};
  return all;
}

/// Every IPv6 packet gets the next chain before what it carries.  `frames` keeps the bytes.
void add_extensions(Capture& capture, std::vector<std::vector<std::byte>>& frames) {
  frames.reserve(capture.packets.size());
  for (Packet& packet : capture.packets) {
    LocatedPacket located;
    (void)locate(packet, located);
    const auto ip = static_cast<std::size_t>(located.outer.ip - packet.data);
    if ((packet.data[ip] >> 4) != std::byte{6}) continue;
    std::vector<std::byte> frame{packet.data, packet.data + ip + 40};
    std::size_t announced = ip + 6, added = 0;
    for (const auto& [number, bytes] : chains()[frames.size() % chains().size()].headers) {
      const std::byte next = frame[announced];
      frame[announced] = static_cast<std::byte>(number);
      announced = frame.size();
      for (const unsigned byte : bytes) frame.push_back(static_cast<std::byte>(byte));
      frame[announced] = next;
      added += bytes.size();
    }
    const std::size_t length = std::to_integer<std::size_t>(frame[ip + 4]) * 256 +
                               std::to_integer<std::size_t>(frame[ip + 5]) + added;
    frame[ip + 4] = static_cast<std::byte>(length >> 8);
    frame[ip + 5] = static_cast<std::byte>(length & 255);
    frame.insert(frame.end(), packet.data + ip + 40, packet.data + packet.captured);
    frames.push_back(std::move(frame));
    packet.data = frames.back().data();
    packet.captured =
        std::min<std::uint32_t>(static_cast<std::uint32_t>(frames.back().size()), longest);
    packet.length += static_cast<std::uint32_t>(added);
  }
}

using Row = std::tuple<std::uint32_t, std::int64_t, std::uint64_t, std::uint32_t, std::int64_t,
                       std::int64_t, std::int64_t, std::uint32_t>;

std::vector<Row> rows_of(std::vector<MarkingRecord> records, MarkingMethod method) {
  std::erase_if(records, [](const MarkingRecord& r) { return r.packets == 0; });
  // In pulse marking both sides count pulses; only user space counts the packets between them.
  std::vector<MarkingRecord> merged = merged_by_interval(records, MarkingMethod::step);
  std::vector<Row> rows;
  for (const MarkingRecord& r : merged) {
    const bool timed = r.pulses == 1 || (r.pulses > 0 && method != MarkingMethod::pulse);
    rows.emplace_back(r.flow, r.interval, r.packets, r.pulses, timed ? to_ns(r.pulse_time) : 0,
                      to_ns(r.late), to_ns(r.early), r.repeats);
  }
  std::ranges::sort(rows);
  return rows;
}

std::vector<Row> by_user(const MarkingSetup& setup, MarkingRole role,
                         std::span<const Packet> packets) {
  auto monitor = MarkingMonitor::make(setup, role);
  IpLocator locator{seed};
  std::array<IpPacket, 1> ip;
  for (const Packet& packet : packets)
    if (locator.locate({&packet, 1}, ip) == 1) monitor->process(ip);
  return rows_of(monitor->finish().records, setup.method);
}

/// The program's output for the packets, and its records.
struct ByKernel {
  std::vector<std::vector<std::byte>> frames;
  std::vector<Row> rows;
};
Result<ByKernel> by_kernel(const MarkingSetup& setup, MarkingDuty duty,
                           std::span<const Packet> packets) {
  MarkingProgramOptions options{.setup = setup, .duty = duty};
  options.force = options.replay = true;  // as user space: whatever the field means
  options.copies = duty != MarkingDuty::mark;
  options.leave_local = false;
  auto program = MarkingProgram::load(options);
  if (!program) return std::unexpected(program.error());
  ByKernel done;
  std::vector<MarkingRecord> records;
  std::int64_t next = packets.empty() ? 0 : setup.length.at(packets[0].time).interval - 2;
  const auto read_until = [&](std::int64_t end, Timestamp now) {
    for (std::int64_t i = next; i < std::min(end, next + program->slots()); ++i)
      program->take(i, now, records);
    next = std::max(next, end);
  };
  for (const Packet& packet : packets) {
    const std::int64_t interval = setup.length.at(packet.time).interval;
    if (interval - next >= program->slots() / 2) read_until(interval - 2, packet.time);
    auto out = program->replay(packet);
    if (!out) return std::unexpected(out.error());
    done.frames.push_back(std::move(*out));
  }
  if (!packets.empty()) read_until(next + program->slots(), packets.back().time);
  done.rows = rows_of(std::move(records), setup.method);
  return done;
}

/// Frames as the marker of user space gives them, at their times.
struct Marked {
  std::vector<std::vector<std::byte>> frames;
  std::vector<Packet> packets;
};
Marked by_marker(const MarkingSetup& setup, bool restore, std::span<const Packet> packets) {
  auto marker = Marker::make({.setup = setup, .force = true, .restore = restore});
  Marked marked;
  for (const Packet& packet : packets) {
    const auto out = (*marker)->process({&packet, 1});
    const Packet& changed = out ? (*out)[0] : packet;
    marked.frames.emplace_back(changed.data, changed.data + changed.captured);
    marked.packets.push_back(packet);
  }
  for (std::size_t i = 0; i < packets.size(); ++i) marked.packets[i].data = marked.frames[i].data();
  return marked;
}

/// A path of 3 ms with up to 3 ms more, so that packets come after their interval; one in sixteen
/// is duplicated.
void delay(std::vector<Packet>& packets) {
  std::uint64_t luck = 1;
  const std::size_t sent = packets.size();
  for (std::size_t i = 0; i < sent; i += 16) packets.push_back(packets[i]);
  for (Packet& packet : packets) {
    luck = luck * 6364136223846793005u + 1442695040888963407u;
    packet.time += Duration{3'000'000 + static_cast<std::int64_t>((luck >> 40) % 3'000'000)};
  }
  std::ranges::stable_sort(packets, {}, &Packet::time);
}

/// How many copies one side has found in a record and the other has not; none if more differs than
/// chance explains.
std::optional<std::uint64_t> forgotten(const std::vector<Row>& user,
                                       const std::vector<Row>& kernel) {
  if (user.size() != kernel.size()) return {};
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < user.size(); ++i) {
    Row other = kernel[i];
    const auto ours = std::get<7>(user[i]), theirs = std::exchange(std::get<7>(other), ours);
    const auto apart = std::max(ours, theirs) - std::min(ours, theirs);
    if (other != user[i] || apart * apart > 4 * (1 + ours)) return {};
    sum += apart;
  }
  return sum;
}

struct Verdict {
  std::uint64_t packets = 0, records = 0, pulses = 0, late = 0, copies = 0, apart = 0, differ = 0;

  void compare(const std::string& where, const std::vector<Row>& user, const ByKernel& kernel) {
    records += user.size();
    for (const Row& row : user) {
      pulses += std::get<3>(row);
      late += std::get<5>(row) > 0;
      copies += std::get<7>(row);
    }
    if (const auto copies_apart = forgotten(user, kernel.rows)) {
      apart += *copies_apart;
      return;
    }
    ++differ;
    std::vector<Row> missing, extra;
    std::ranges::set_difference(user, kernel.rows, std::back_inserter(missing));
    std::ranges::set_difference(kernel.rows, user, std::back_inserter(extra));
    const auto show = [&](const char* who, const std::vector<Row>& rows) {
      for (const Row& row : std::span{rows}.first(std::min<std::size_t>(rows.size(), 3)))
        fmt::print(stderr,
                   "  {}: {} alone: flow {} interval {} packets {} pulses {} at {} late {} early "
                   "{} copies "
                   "{}\n",
                   where, who, std::get<0>(row), std::get<1>(row), std::get<2>(row),
                   std::get<3>(row), std::get<4>(row), std::get<5>(row), std::get<6>(row),
                   std::get<7>(row));
    };
    show("user space", missing);
    show("kernel", extra);
  }
  void compare_bytes(const std::string& where, const Marked& user, const ByKernel& kernel) {
    packets += user.frames.size();
    for (std::size_t i = 0; i < user.frames.size(); ++i) {
      if (user.frames[i] == kernel.frames[i]) continue;
      if (differ++ == 0) fmt::print(stderr, "  {}: packet {} differs\n", where, i + 1);
      return;
    }
  }
};

Result<void> run(const Capture& capture, const MarkingSetup& setup, Verdict& verdict) {
  const std::string where =
      fmt::format("{} {} {} {} flows", name_of(setup.method), setup.carrier.name(),
                  setup.length.name(), setup.flows.size());
  const Marked marked = by_marker(setup, false, capture.packets);
  const auto marking = by_kernel(setup, MarkingDuty::mark, capture.packets);
  if (!marking) return std::unexpected(marking.error());
  verdict.compare(where + ", mark", by_user(setup, MarkingRole::initiating, capture.packets),
                  *marking);
  verdict.compare_bytes(where + ", mark", marked, *marking);

  std::vector<Packet> arrived = marked.packets;
  delay(arrived);
  const auto observed = by_user(setup, MarkingRole::observing, arrived);
  const auto observing = by_kernel(setup, MarkingDuty::observe, arrived);
  if (!observing) return std::unexpected(observing.error());
  verdict.compare(where + ", observe", observed, *observing);
  const Marked restored = by_marker(setup, true, arrived);
  const auto restoring = by_kernel(setup, MarkingDuty::restore, arrived);
  if (!restoring) return std::unexpected(restoring.error());
  verdict.compare(where + ", restore", observed, *restoring);
  verdict.compare_bytes(where + ", restore", restored, *restoring);
  return {};
}

int replay(const std::string& name, Capture& capture, std::size_t left_out) {
  std::vector<std::vector<std::byte>> frames;
  add_extensions(capture, frames);
  Capture optional;
  std::ranges::copy_if(capture.packets, std::back_inserter(optional.packets), may_get_option);
  Verdict verdict;
  const bool has_ipv6 = std::ranges::any_of(optional.packets, [](const Packet& packet) {
    LocatedPacket located;
    (void)locate(packet, located);
    return (located.outer.ip[0] >> 4) == std::byte{6};
  });
  for (const auto& flows : flow_lists(capture))
    for (const Case& one : cases)
      for (const char* length : {"16ms", "512ms"}) {
        // The verifier takes long for the option, which only IPv6 has.
        if (takes_long(one) && (std::string_view{length} == "512ms" || !has_ipv6)) continue;
        const MarkingSetup setup{.method = *marking_method_named(one.method),
                                 .length = *MarkingInterval::parse(length),
                                 .carrier = *MarkingCarrier::parse(one.carrier),
                                 .flows = flows,
                                 .seed = seed,
                                 .early_pulses = std::string_view{length} == "512ms"};
        const Capture& taken = takes_long(one) ? optional : capture;
        if (const auto done = run(taken, setup, verdict); !done) {
          // Loading may be forbidden; once a program is loaded, every packet has to pass.
          const bool is_loaded = done.error().message.starts_with("the test run failed");
          fmt::print("{}: {}\n", is_loaded ? name : "skipped", done.error().message);
          return is_loaded ? 1 : 77;
        }
      }
  if (verdict.apart > 1 + verdict.copies / 20) ++verdict.differ;
  fmt::print(
      "{}: {} packets ({} left out), {} frames and {} records equal, {} pulses, {} records with "
      "late packets, {} copies ({} found by one side alone){}\n",
      name, capture.packets.size(), left_out, verdict.packets, verdict.records, verdict.pulses,
      verdict.late, verdict.copies, verdict.apart,
      verdict.differ ? fmt::format("; {} DIFFER", verdict.differ) : "");
  std::fflush(stdout);
  return verdict.differ > 0 ? 1 : 0;
}

int replay(std::span<const std::string> paths) {
  constexpr std::size_t most = 20'000;
  Capture all = read_captures(paths);
  std::size_t left_out = leave_out(all);
  std::ranges::stable_sort(all.packets, {}, &Packet::time);
  const std::string name =
      paths.size() == 1 ? paths[0] : fmt::format("{} captures together", paths.size());
  if (all.packets.empty()) fmt::print("{}: no plain IP packets\n", name);
  int worst = 0;
  for (std::size_t from = 0; from < all.packets.size() && worst != 77; from += most) {
    Capture part;
    const auto rest = std::span{all.packets}.subspan(from);
    const auto packets = rest.first(std::min(rest.size(), most));
    part.packets.assign(packets.begin(), packets.end());
    worst = std::max(worst, replay(name, part, std::exchange(left_out, 0)));
  }
  return worst;
}

}  // namespace
}  // namespace sojourn

int main(int argc, char** argv) {
  std::vector<std::string> paths{argv + 1, argv + argc};
  const bool together = !paths.empty() && paths[0] == "--together";
  if (together) paths.erase(paths.begin());
  if (paths.empty()) {
    fmt::print(stderr, "usage: sojourn-replay-marking [--together] CAPTURE...\n");
    return 2;
  }
  if (together) return sojourn::replay(paths);
  int worst = 0;
  for (const std::string& path : paths) {
    const int status = sojourn::replay({&path, 1});
    if (status == 77) return 77;
    worst = std::max(worst, status);
  }
  return worst;
}
