// Bytes as an IP packet to be marked: one byte chooses the carrier, one the mark.  For any input no
// byte past the end is touched, and a written mark is read again and can be removed again.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "wire/marking_carrier.h"

using namespace sojourn;

namespace {

constexpr std::array names{"dscp",          "dscp:5",     "dscp:1,0",   "reserved",
                           "flow-label:19", "hop-by-hop", "destination"};

void require(bool holds) {
  if (!holds) std::abort();
}

/// One's complement has two zeros, and a packet whose checksum was wrong may end up with the other.
bool same_but_for_zero(std::vector<std::byte> a, std::vector<std::byte> b) {
  for (auto* packet : {&a, &b})
    if (((*packet)[0] >> 4) == std::byte{4} && (*packet)[10] == std::byte{0xff} &&
        (*packet)[11] == std::byte{0xff})
      (*packet)[10] = (*packet)[11] = std::byte{0};
  return a == b;
}

void check_in_place(const MarkingCarrier& carrier, const std::vector<std::byte>& bytes, Mark mark) {
  const auto before = carrier.read(bytes);
  require(before.has_value());
  auto marked = bytes;
  require(carrier.write(marked, mark));
  require(carrier.read(marked) == mark);
  require(carrier.write(marked, *before));
  require(same_but_for_zero(marked, bytes));
  std::vector<std::byte> restored(bytes.size());
  const bool shorter = carrier.restore(bytes, restored);
  require(!shorter || carrier.kind() == CarrierKind::option);
  if (!shorter) require(carrier.read(restored) == Mark{0});
}

void check_inserted(const MarkingCarrier& carrier, const std::vector<std::byte>& bytes, Mark mark) {
  require(!carrier.read(bytes));
  std::vector<std::byte> marked(bytes.size() + alt_mark_growth);
  carrier.insert(bytes, mark, marked);
  require(carrier.read(marked) == mark);
  std::vector<std::byte> restored(marked.size());
  require(carrier.restore(marked, restored));
  restored.resize(bytes.size());
  require(restored == bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const MarkingCarrier carrier = *MarkingCarrier::parse(names[data[0] % names.size()]);
  const auto mark = static_cast<Mark>(data[1] % (carrier.bits() == 2 ? 4 : 2));
  const auto* const first = reinterpret_cast<const std::byte*>(data + 2);
  const std::vector<std::byte> bytes(first,
                                     first + (size - 2));  // exactly sized: ASan sees its end
  switch (carrier.use(bytes)) {
    case CarrierUse::impossible: {
      auto copy = bytes;
      (void)carrier.write(copy, mark);
      (void)carrier.flow_id(bytes);
      break;
    }
    case CarrierUse::free:
    case CarrierUse::in_use:
      check_in_place(carrier, bytes, mark);
      break;
    case CarrierUse::needs_room:
      check_inserted(carrier, bytes, mark);
      break;
  }
  return 0;
}
