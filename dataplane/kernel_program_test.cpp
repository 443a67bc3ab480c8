// The real program, on two CPUs at once, and the interfaces it is a guest on.
#include "dataplane/kernel_program.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "dataplane/attachment.h"
#include "dataplane/sample_weight.h"
#include "dataplane/test_datagram.h"

namespace sojourn {
namespace {

using test::Datagram;

void run_on(unsigned cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof one, &one);
}

struct Totals {
  double weighed = 0;     ///< of the pairs that there were
  double by_one_cpu = 0;  ///< as if every CPU had counted its own insertions only
};

constexpr std::uint32_t requests = 4'000, lag = 100;
constexpr double pairs = requests - 1;  // the last one's answer would come behind the end

/// Two CPUs take turns in asking, and each answers what the other asked, some 100 requests later.
Result<void> ask_on_two_cpus(KernelProgram& loaded) {
  KernelProgram* const program = &loaded;
  std::array<std::atomic<std::uint32_t>, 2> asked{};
  std::atomic<bool> failed{false};
  const auto work = [&](std::uint32_t side) {
    run_on(side);
    for (std::uint32_t i = side; i < requests + lag; i += 2) {
      const std::int64_t now = 1'000 * (std::int64_t{i} + 1);
      if (i < requests && !program->replay(Datagram{i, false}.at(now))) failed = true;
      asked[side] = i + 1;
      if (i < lag + 1) continue;
      const std::uint32_t other = i - lag - 1;  // of the other CPU
      while (asked[1 - side] <= other && !failed) std::this_thread::yield();
      if (other < requests && !program->replay(Datagram{other, true}.at(now + 500))) failed = true;
    }
    asked[side] = ~0u;
  };
  std::thread first{work, 0}, second{work, 1};
  first.join();
  second.join();
  if (failed) return failure("a test run failed");
  return {};
}

DataplaneOptions small_table(std::uint64_t seed) {
  DataplaneOptions options;
  options.table_bytes = 192 * sizeof(dp_slot);
  options.seed = seed;
  options.replay = true;
  return options;
}

/// In 64 slots of each of three fridges.
Result<Totals> weigh_on_two_cpus(std::uint64_t seed) {
  auto program = KernelProgram::load(small_table(seed), Hook::tc);
  if (!program) return std::unexpected(program.error());
  if (auto asked = ask_on_two_cpus(*program); !asked) return std::unexpected(asked.error());
  const SampleWeight weight{program->config()};
  Totals totals;
  auto add = [&](const dp_sample& sample) {
    totals.weighed += weight.of(sample).value_or(0) / pairs;
    std::uint64_t halves = 0;
    for (unsigned k = 0; k < DP_MOST_FRIDGES; ++k)
      halves |= (sample.ages >> (k * DP_AGE_BITS) & DP_AGE_MASK) / 2 << (k * DP_AGE_BITS);
    totals.by_one_cpu += weight.of(halves, sample.enter_below).value_or(0) / pairs;
  };
  program->read(add);
  return totals;
}

/// 24 seeds, five standard errors: a false alarm in some 10^4 runs.  The twin must lie outside.
TEST(KernelProgram, IsUnbiasedOnTwoCpusAndCountersPerCpuWouldBeNoticed) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one CPU only";
  constexpr int seeds = 24;
  double mean = 0, square = 0, twin = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    const auto totals = weigh_on_two_cpus(static_cast<std::uint64_t>(seed));
    if (!totals) GTEST_SKIP() << totals.error().message;
    mean += totals->weighed / seeds;
    square += totals->weighed * totals->weighed / seeds;
    twin += totals->by_one_cpu / seeds;
  }
  const double error = 5 * std::sqrt((square - mean * mean) / (seeds - 1));
  EXPECT_NEAR(mean, 1, error);
  EXPECT_LT(error, 0.15) << "the test would see nothing";
  EXPECT_LT(twin, 1 - error) << "counters per CPU go unnoticed";
}

/// All delays are nearly the same, so both CPUs add to the same few bins: nothing is lost.
TEST(KernelProgram, AddsUpHistogramsOnTwoCpus) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one CPU only";
  DataplaneOptions options = small_table(1);
  options.histograms = true;
  auto program = KernelProgram::load(options, Hook::tc);
  if (!program) GTEST_SKIP() << program.error().message;
  const auto asked = ask_on_two_cpus(*program);
  ASSERT_TRUE(asked) << asked.error().message;
  std::uint64_t samples = 0, weight = 0, by_groups = 0;
  for (const dp_bin& bin : program->histograms().bins) {
    samples += bin.samples;
    weight += bin.weight;
  }
  for (const dp_cell& cell : program->histograms().cells)
    for (const auto& group : cell.weight) by_groups += group;
  const dp_counters counters = program->counters();
  EXPECT_GT(samples, requests / 4);
  EXPECT_EQ(samples + counters.too_old, counters.samples);
  EXPECT_EQ(weight, by_groups);
  // Five standard deviations of a sum of 2000 samples that weigh 1.7: a false alarm in 10^6 runs.
  EXPECT_NEAR(static_cast<double>(weight) / DP_WEIGHT_ONE / pairs, 1, 0.2);
  auto none = [](const dp_sample&) { ADD_FAILURE() << "handed over all the same"; };
  program->read(none);
}

/// Runs `body` in a new network namespace, or says why it cannot.
template <class Body>
std::string in_namespace(Body body) {
  std::string skipped;
  std::thread{[&] {
    if (::unshare(CLONE_NEWNET) != 0)
      skipped = "no network namespace";
    else
      body();
  }}.join();
  return skipped;
}

bool run(const std::string& command) {
  return std::system((command + " > /dev/null 2>&1").c_str()) == 0;
}

bool becomes_true(const std::string& command) {
  for (int tries = 0; tries < 100; ++tries) {
    if (run(command)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
  }
  return false;
}

/// A kernel without tcx: what was there stays, what is ours goes, also when nobody detaches.
TEST(Attachment, ByClsactLeavesTheInterfaceAsItWas) {
  const std::string skipped = in_namespace([] {
    auto program = KernelProgram::load({}, Hook::tc);
    if (!program) GTEST_SKIP() << program.error().message;
    if (!run("ip link add left type veth peer name right && ip link set left up && tc qdisc show"))
      GTEST_SKIP() << "no veth devices, or no tc";
    const AttachmentPoint point{"left", static_cast<int>(::if_nametoindex("left"))};
    {
      const auto attached = Attachment::attach_by_clsact(*program, point);
      ASSERT_TRUE(attached) << attached.error().message;
      EXPECT_EQ(attached->how(), "tc (clsact)");
      EXPECT_TRUE(run("tc filter show dev left ingress | grep rtt_tc"));
      EXPECT_TRUE(run("tc filter show dev left egress | grep rtt_tc"));
    }
    EXPECT_TRUE(becomes_true("! tc qdisc show dev left | grep clsact")) << "our qdisc stays";

    // Somebody else's filter came meanwhile, of another kind than ours.  The cleaner of the qdisc's
    // maker finds it without the program tc, which machines may lack.
    {
      const std::string path = ::getenv("PATH");
      ::setenv("PATH", "/nowhere", 1);
      const auto attached = Attachment::attach_by_clsact(*program, point);
      ::setenv("PATH", path.c_str(), 1);
      ASSERT_TRUE(attached) << attached.error().message;
      ASSERT_TRUE(run("tc filter add dev left ingress matchall action pass") ||
                  run("tc filter add dev left ingress u32 match u32 0 0"));
    }
    EXPECT_TRUE(becomes_true("! tc filter show dev left ingress | grep rtt_tc"));
    EXPECT_TRUE(run("tc filter show dev left ingress | grep .")) << "a stranger's filter is gone";
    EXPECT_TRUE(run("tc qdisc del dev left clsact"));

    std::optional<Attachment> stranger;
    {
      const auto attached = Attachment::attach_by_clsact(*program, point);
      ASSERT_TRUE(attached) << attached.error().message;
      auto other = Attachment::attach_by_clsact(*program, point);
      ASSERT_TRUE(other) << other.error().message;
      stranger.emplace(std::move(*other));
    }
    EXPECT_TRUE(becomes_true("[ $(tc filter show dev left ingress | grep -c rtt_tc) -eq 1 ]"))
        << "ours is still there, or the stranger's is gone";
    stranger.reset();
    EXPECT_TRUE(becomes_true("! tc filter show dev left ingress | grep rtt_tc"));
    EXPECT_TRUE(run("tc qdisc show dev left | grep clsact")) << "it was not the stranger's to take";
  });
  if (!skipped.empty()) GTEST_SKIP() << skipped;
}

/// From now on no process of this thread's can be started.
bool forbid_forks() {
  sock_filter refuse_clone[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{4, refuse_clone};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(Attachment, ByClsactIsRefusedIfNobodyCanCleanUp) {
  const std::string skipped = in_namespace([] {
    auto program = KernelProgram::load({}, Hook::tc);
    if (!program) GTEST_SKIP() << program.error().message;
    if (!run("ip link add left type veth peer name right && ip link set left up"))
      GTEST_SKIP() << "no veth devices";
    const AttachmentPoint point{"left", static_cast<int>(::if_nametoindex("left"))};
    if (!forbid_forks()) GTEST_SKIP() << "no seccomp";
    const auto attached = Attachment::attach_by_clsact(*program, point);
    ASSERT_FALSE(attached) << "the filter would stay for ever";
    EXPECT_NE(attached.error().message.find("cleans up"), std::string::npos);
  });
  if (!skipped.empty()) GTEST_SKIP() << skipped;
}

}  // namespace
}  // namespace sojourn
