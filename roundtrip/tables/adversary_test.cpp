// An attacker who knows how the tables work, but not the seed, aims many flows at one slot.

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "roundtrip/pair_key.h"
#include "roundtrip/tables/fridge_table.h"
#include "roundtrip/tables/fridges_table.h"
#include "roundtrip/tables/leased_table.h"
#include "roundtrip/tables/staged_table.h"
#include "roundtrip/tailored/tailored_table.h"

namespace sojourn {
namespace {

constexpr std::uint64_t known_seed = 4711;
constexpr std::size_t slots = 1024;

struct Request {
  std::uint64_t flow;
  std::uint64_t token;
};

std::uint64_t key_of(const Request& request, const HashKey& hash_key) {
  return pair_key(hash_key, request.flow, request.token, Kind::tcp, 0);
}
std::size_t slot_of(const Request& request, const HashKey& hash_key) {
  return KeyParts::slot(key_of(request, hash_key), slots);
}

/// Brute force: requests whose keys share a slot under the known seed.
std::vector<Request> found_collisions(std::size_t count) {
  const HashKey hash_key = HashKey::from_seed(known_seed);
  std::mt19937_64 random{1};
  std::vector<Request> found;
  while (found.size() < count) {
    const Request request{random(), random() & 0xffff'ffff};
    if (slot_of(request, hash_key) == 0) found.push_back(request);
  }
  return found;
}

/// Algebra: under the known seed this flow makes the first factor of the hash zero, so all its
/// tokens, a million of them, have the same key.
std::vector<Request> built_collisions(std::size_t count) {
  const std::uint64_t salt =
      (index_of(Kind::tcp) << 4 | index_of(Leg::server) << 1) + 1;  // of pair_key
  const std::uint64_t flow = HashKey::from_seed(known_seed).secret[0] - salt * 0x9e3779b97f4a7c15u;
  std::vector<Request> built;
  for (std::uint64_t token = 0; token < count; ++token) built.push_back({flow, token});
  return built;
}

/// Pearson's statistic of the slots of the requests, in standard deviations from the value for
/// random keys: chi^2 with s-1 degrees of freedom, normal for large s.
double crowding(const std::vector<Request>& requests, std::uint64_t seed) {
  const HashKey hash_key = HashKey::from_seed(seed);
  std::vector<double> load(slots);
  for (const Request& request : requests) load[slot_of(request, hash_key)] += 1;
  const double expected = static_cast<double>(requests.size()) / slots;
  double chi_square = 0;
  for (const double n : load) chi_square += (n - expected) * (n - expected) / expected;
  return (chi_square - (slots - 1)) / std::sqrt(2.0 * (slots - 1));
}

// The standard deviation of chi^2/1023 is 4.4 %, its skew 0.09: |z| < 8 has a false-alarm rate
// below 1e-12 per seed on the left and about 1e-11 on the right, 1e-8 for a thousand seeds.
TEST(Adversary, CollisionsForOneSeedAreNoneForAnother) {
  std::mt19937_64 random{20'261'115};
  const std::vector<Request> found = found_collisions(4 * slots),
                             built = built_collisions(1'000'000);
  EXPECT_GT(crowding(found, known_seed), 1000);  // the twin: with the seed the attack succeeds
  EXPECT_GT(crowding(built, known_seed), 1000);
  double sum = 0;
  constexpr int seeds = 1000;
  for (int i = 0; i < seeds; ++i) {
    const double z = crowding(found, random());
    EXPECT_LT(std::fabs(z), 8) << "found, seed number " << i;
    sum += z;
  }
  // Their mean is normal with deviation 1/sqrt(1000): 6 of them, 2e-9.
  EXPECT_LT(std::fabs(sum / seeds), 6 / std::sqrt(1.0 * seeds));
  for (int i = 0; i < 10; ++i)
    EXPECT_LT(std::fabs(crowding(built, random())), 8) << "built, seed number " << i;
}

/// How many of the requests a table still answers after all have come.
template <class Table>
std::size_t survivors(const std::vector<Request>& requests, std::uint64_t seed) {
  const HashKey hash_key = HashKey::from_seed(seed);
  Table table{{.memory_bytes = slots * 16}};
  for (const Request& request : requests) table.request(key_of(request, hash_key), Timestamp{}, 0);
  std::size_t count = 0;
  for (const Request& request : requests)
    count += table.response(key_of(request, hash_key), Timestamp{}).has_value();
  return count;
}

template <class Table>
class AdversaryTest : public testing::Test {};
using Tables = testing::Types<StagedTable, FridgeTable, FridgesTable, LeasedTable, TailoredTable>;
TYPED_TEST_SUITE(AdversaryTest, Tables);

TYPED_TEST(AdversaryTest, TableKeepsWhatItWouldKeepOfRandomKeys) {
  const std::vector<Request> aimed = found_collisions(256);
  std::mt19937_64 random{3};
  std::vector<Request> fair(256);
  for (Request& request : fair) request = {random(), random() & 0xffff'ffff};
  double aimed_sum = 0, fair_sum = 0;
  constexpr int seeds = 200;
  for (int i = 0; i < seeds; ++i) {
    const std::uint64_t seed = random();
    aimed_sum += static_cast<double>(survivors<TypeParam>(aimed, seed));
    fair_sum += static_cast<double>(survivors<TypeParam>(fair, seed));
  }
  // The number kept deviates by less than 16 per seed (sqrt of 256), and the difference of two sums
  // of 200 by less than 16 sqrt(400) = 320.  The bound is six of these.
  EXPECT_NEAR(aimed_sum, fair_sum, 6 * 320);
  EXPECT_GT(fair_sum, 0.7 * 256 * seeds);
}

TEST(Adversary, WhoKnowsTheSeedEmptiesAFridge) {
  EXPECT_EQ(survivors<FridgeTable>(found_collisions(256), known_seed), 1u);
}

}  // namespace
}  // namespace sojourn
