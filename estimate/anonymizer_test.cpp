#include "estimate/anonymizer.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>

#include "estimate/distribution/test_seed.h"

namespace sojourn {
namespace {

std::size_t common_bits(const IpAddress& a, const IpAddress& b) {
  std::size_t bits = 0;
  while (bits < a.bit_length() && a.bit(bits) == b.bit(bits)) ++bits;
  return bits;
}

IpAddress random_address(IpVersion version, std::mt19937_64& random) {
  std::array<std::byte, 16> bytes;
  for (auto& byte : bytes) byte = static_cast<std::byte>(random());
  return version == IpVersion::v4 ? IpAddress::v4(std::span<const std::byte, 4>{bytes.data(), 4})
                                  : IpAddress::v6(bytes);
}

/// Equal to `address` in exactly the first `bits`, arbitrary after.
IpAddress relative(const IpAddress& address, std::size_t bits, std::mt19937_64& random) {
  IpAddress result = random_address(address.version(), random);
  for (std::size_t i = 0; i < bits; ++i) result.set_bit(i, address.bit(i));
  if (bits < address.bit_length()) result.set_bit(bits, !address.bit(bits));
  return result;
}

TEST(Anonymizer, KeepsTheLengthOfCommonPrefixesAndNothingElse) {
  std::mt19937_64 random{test_seed()};
  Anonymizer anonymizer{HashKey::from_seed(random())};
  for (const IpVersion version : {IpVersion::v4, IpVersion::v6}) {
    std::size_t unchanged = 0;
    for (int i = 0; i < 3000; ++i) {
      const IpAddress address = random_address(version, random);
      const std::size_t bits = random() % (address.bit_length() + 1);
      const IpAddress other = relative(address, bits, random);
      ASSERT_EQ(common_bits(anonymizer.apply(address), anonymizer.apply(other)), bits)
          << "seed " << test_seed();
      ASSERT_EQ(anonymizer.apply(address).version(), version);
      unchanged += anonymizer.apply(address).bit(0) == address.bit(0);
    }
    EXPECT_TRUE(unchanged == 0 || unchanged == 3000);  // one bit of pad for the empty prefix
  }
}

TEST(Anonymizer, IsOneToOneAndDependsOnTheKeyOnly) {
  std::mt19937_64 random{test_seed()};
  Anonymizer first{HashKey::from_seed(1)}, same{HashKey::from_seed(1)},
      different{HashKey::from_seed(2)};
  std::set<IpAddress> originals, hidden;
  std::size_t moved = 0, differently = 0;
  for (int i = 0; i < 20'000; ++i) {  // more than the cache remembers
    const IpAddress address = random_address(IpVersion::v4, random);
    if (!originals.insert(address).second) continue;
    hidden.insert(first.apply(address));
    EXPECT_EQ(first.apply(address), same.apply(address));
    moved += first.apply(address) != address;
    differently += first.apply(address) != different.apply(address);
  }
  EXPECT_EQ(hidden.size(), originals.size());
  EXPECT_GT(moved, originals.size() - 10);  // each stays with probability 2^-32
  EXPECT_GT(differently, originals.size() - 10);
}

TEST(Anonymizer, FlipsBitsOfTheLastOctetAboutHalfTheTime) {
  // 2000 networks, fair coins: 45 to 55 % is 4.5 deviations, 7e-6 for each of the eight bits.
  std::mt19937_64 random{test_seed()};
  Anonymizer anonymizer{HashKey::from_seed(random())};
  std::array<int, 8> flips{};
  for (int i = 0; i < 2000; ++i) {
    const IpAddress address = random_address(IpVersion::v4, random);
    for (std::size_t bit = 0; bit < 8; ++bit)
      flips[bit] += anonymizer.apply(address).bit(24 + bit) != address.bit(24 + bit);
  }
  for (const int count : flips) EXPECT_NEAR(count, 1000, 100) << "seed " << test_seed();
}

}  // namespace
}  // namespace sojourn
