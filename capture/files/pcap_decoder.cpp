#include "capture/files/pcap_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "capture/files/byte_order.h"
#include "capture/files/link_types.h"
#include "core/prefetch.h"

namespace sojourn {
namespace {

constexpr std::uint32_t microsecond_magic = 0xa1b2c3d4;
constexpr std::uint32_t nanosecond_magic = 0xa1b23c4d;
constexpr std::uint32_t kuznetzov_magic = 0xa1b2cd34;  // Red Hat's libpcap patch, packets of 24 + n

struct Variant {
  bool swapped;
  std::int64_t fraction_ns;  ///< length of one unit of a timestamp's second word
  std::size_t record_header_size;
  /// Before version 2.3 the two lengths were in the other order, and some writers of 2.3 kept that
  /// order.  The captured length is never the greater.
  bool either_order = false;
};

template <Variant variant>
class PcapDecoder final : public Decoder {
 public:
  PcapDecoder(LinkType link, CaptureLog& log) : link_(link), log_(log) {}

  Step decode(Window window, std::span<Packet> batch) override {
    const std::byte* at = window.begin;
    Packet* out = batch.data();
    Packet* const out_end = out + batch.size();
    PacketTally tally = tally_;
    const bool is_large = batch.size() > small_batch;
    for (; out != out_end; ++out) {
      const auto rest = static_cast<std::size_t>(window.end - at);
      if (rest < variant.record_header_size) break;
      const auto [captured, length] = lengths(at);
      if (captured > max_captured || captured > rest - variant.record_header_size) break;
      if (is_large) {  // the next header lies in either of two lines
        prefetch_far(at, far_ahead);
        prefetch_far(at, far_ahead + cache_line);
      }
      prefetch_near(at, near_ahead);
      prefetch_near(at, near_ahead + cache_line);

      // Seconds are unsigned and 32 bits wide, so no time of a pcap file overflows int64
      // nanoseconds.  The addition carries a fraction of a second or more.
      const std::int64_t seconds = load<std::uint32_t>(at, variant.swapped);
      const std::int64_t fraction = load<std::uint32_t>(at + 4, variant.swapped);
      out->time = timestamp_from_ns(seconds * 1'000'000'000 + fraction * variant.fraction_ns);
      out->data = at + variant.record_header_size;
      out->captured = captured;
      // Some writers leave the length zero, or count it without the FCS that they captured.
      out->length = std::max(captured, length);
      out->link = link_;
      tally.add(*out);
      at += variant.record_header_size + captured;
    }
    Step step;
    step.in_order = tally.backward_times == tally_.backward_times;
    tally_ = tally;
    step.count = static_cast<std::size_t>(out - batch.data());
    step.consumed = static_cast<std::size_t>(at - window.begin);
    log_.counters.packets += step.count;
    tally.report(log_.counters);
    if (out != out_end) explain({at, window.end, window.last}, step);
    return step;
  }

 private:
  /// Where the next record begins is known once this one's header is read.  With small batches the
  /// parser has fetched the bytes into the second-level cache, whose latency would be paid for each
  /// packet.  With those of several threads they are not even there.
  static constexpr std::size_t small_batch = 512;
  static constexpr std::ptrdiff_t near_ahead = 1024, far_ahead = 8192, cache_line = 64;

  struct Lengths {
    std::uint32_t captured, on_the_wire;
  };
  static Lengths lengths(const std::byte* record) {
    const auto first = load<std::uint32_t>(record + 8, variant.swapped);
    const auto second = load<std::uint32_t>(record + 12, variant.swapped);
    if constexpr (variant.either_order) return {std::min(first, second), std::max(first, second)};
    return {first, second};
  }

  /// Why the loop did not fill the batch.
  void explain(Window rest, Step& step) {
    step.wanted = variant.record_header_size;
    if (rest.size() >= variant.record_header_size) {
      const std::uint32_t captured = lengths(rest.begin).captured;
      if (captured > max_captured) {
        ++log_.counters.bad_blocks;
        log_.warn(fmt::format("packet {} claims {} captured bytes; reading stops before it",
                              log_.counters.packets + 1, captured));
        step.ended = true;
        return;
      }
      step.wanted += captured;
    }
    if (!rest.last) return;
    step.ended = true;
    if (rest.size() == 0) return;
    log_.counters.cut_files = 1;
    log_.warn(fmt::format("cut in the middle of packet {}", log_.counters.packets + 1));
  }

  LinkType link_;
  CaptureLog& log_;
  PacketTally tally_;
};

template <bool swapped>
std::unique_ptr<Decoder> choose(std::uint32_t magic, bool old, LinkType link, CaptureLog& log) {
  if (old) return std::make_unique<PcapDecoder<Variant{swapped, 1000, 16, true}>>(link, log);
  switch (magic) {
    case nanosecond_magic:
      return std::make_unique<PcapDecoder<Variant{swapped, 1, 16}>>(link, log);
    case kuznetzov_magic:
      return std::make_unique<PcapDecoder<Variant{swapped, 1000, 24}>>(link, log);
    default:
      return std::make_unique<PcapDecoder<Variant{swapped, 1000, 16}>>(link, log);
  }
}

bool is_magic(std::uint32_t magic) {
  return magic == microsecond_magic || magic == nanosecond_magic || magic == kuznetzov_magic;
}

}  // namespace

bool is_pcap(const std::byte* begin) {
  return is_magic(load<std::uint32_t>(begin, false)) || is_magic(load<std::uint32_t>(begin, true));
}

Result<std::unique_ptr<Decoder>> make_pcap_decoder(std::span<const std::byte> header,
                                                   CaptureLog& log) {
  if (header.size() < pcap_header_size)
    return failure(
        fmt::format("cut inside the pcap header: {} of {} bytes", header.size(), pcap_header_size));
  const bool swapped = !is_magic(load<std::uint32_t>(header.data(), false));
  const auto magic = load<std::uint32_t>(header.data(), swapped);
  const auto major = load<std::uint16_t>(header.data() + 4, swapped);
  const auto minor = load<std::uint16_t>(header.data() + 6, swapped);
  // Some writers use network order for the version and their own order for the rest.
  constexpr std::uint16_t current = 2;
  if (major != current && major != std::byteswap(current))
    return failure(fmt::format("pcap version {} is not supported", major));
  // Bits 26 to 31 hold the length of the frame check sequence.  Bits 16 to 25 are reserved, and a
  // type that sets them is unknown (draft-ietf-opsawg-pcap section 4).
  const auto number = load<std::uint32_t>(header.data() + 20, swapped) & 0x03ff'ffffu;
  const auto link = supported_link_type(number);
  if (!link) return failure(unsupported_link_type(number));
  const bool old = magic == microsecond_magic && major == current && minor < 4;
  return swapped ? choose<true>(magic, old, *link, log) : choose<false>(magic, old, *link, log);
}

}  // namespace sojourn
