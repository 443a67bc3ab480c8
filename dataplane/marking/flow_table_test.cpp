#include "dataplane/kernel/marking/flow_table.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/hash.h"

namespace sojourn {
namespace {

/// What differs in the top bit alone does so after a multiplication, whatever the secret: a second
/// word could undo it.
TEST(FlowTable, TwoWordsDoNotUndoEachOther) {
  constexpr __u64 top = __u64{1} << 63, shifted = top | top >> 32;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const HashKey key = HashKey::from_seed(seed);
    __u64 secrets[4];
    std::ranges::copy(key.secret, secrets);
    const mk_key one{{{0x20010db8, 1, 0x20010db8, 2}, MK_REST(443, 50'000, 6)}, 0};
    for (std::size_t word = 0; word + 1 < 4; ++word) {
      mk_key other = one;
      other.bits.addresses[word] ^= top;
      other.bits.addresses[word + 1] ^= shifted;
      EXPECT_NE(mk_tag(&one, 1, secrets), mk_tag(&other, 1, secrets)) << seed << ' ' << word;
    }
  }
}

}  // namespace
}  // namespace sojourn
