#include "ipfix/transport/spool.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>

#include "ipfix/session.h"
#include "ipfix/transport/test_stream.h"

namespace sojourn::ipfix {
namespace {

constexpr std::size_t small = Spool::least_bytes;
using Clock = Spool::Clock;

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "spool.XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Taken {
  std::vector<std::uint32_t> labels;
  std::vector<std::uint32_t> sequences;
};

Taken take_all(Spool& spool, std::size_t most_messages = ~std::size_t{0}) {
  Taken taken;
  Session session;
  PointReport report;
  for (const auto& message : template_messages({.domain = 5}, {})) session.decode(message, report);
  while (taken.sequences.size() < most_messages) {
    const auto message = spool.next();
    if (!message) break;
    taken.sequences.push_back(session.decode(*message, report).header.sequence);
    for (const FlowRecord& record : report.records) taken.labels.push_back(record.first_label);
    spool.sent(Clock::now());
  }
  return taken;
}

TEST(Spool, WhatGoesInComesOutInOrder) {
  auto spool = Spool::open({.bytes = small});
  std::uint64_t number = 1;
  write_flows(**spool, 0, 100, number);
  EXPECT_EQ((*spool)->counters().waiting.records, 100u);
  EXPECT_EQ((*spool)->counters().waiting.packets, 200u);
  const Taken taken = take_all(**spool);
  ASSERT_EQ(taken.labels.size(), 100u);
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(taken.labels[i], i);
  // 11 records fit 1 000 bytes, and the one that says whose they are.
  for (std::size_t i = 0; i < taken.sequences.size(); ++i) EXPECT_EQ(taken.sequences[i], 12 * i);
  EXPECT_EQ((*spool)->counters().waiting.messages, 0u);
}

TEST(Spool, AFullOneThrowsAwayTheOldestAndCounts) {
  auto spool = Spool::open({.bytes = small});
  std::uint64_t number = 1;
  constexpr std::uint32_t written = 60'000;  // 5 MB into 2
  for (std::uint32_t first = 0; first < written; first += 1'000)
    write_flows(**spool, first, 1'000, number);
  const SpoolCounters counters = (*spool)->counters();
  EXPECT_GT(counters.discarded.records, 0u);
  EXPECT_EQ(counters.waiting.records + counters.discarded.records, written);
  EXPECT_EQ(counters.waiting.packets + counters.discarded.packets, 2 * written);
  EXPECT_LE((*spool)->bytes_on_disk(), small);
  const Taken taken = take_all(**spool);
  EXPECT_EQ(taken.labels.size(), counters.waiting.records);
  EXPECT_EQ(taken.labels.front(), counters.discarded.records);
  EXPECT_EQ(taken.labels.back(), written - 1);
  // What was never sent has no sequence number: nothing is missing on the way.
  EXPECT_EQ(taken.sequences.front(), 0u);
  // The numbers go on from file to file.
  EXPECT_TRUE(std::ranges::is_sorted(taken.sequences));
  EXPECT_GT(taken.sequences.back(), taken.labels.size());
}

TEST(Spool, ANewSessionSendsAgainWhatIsNotConfirmedWithTheNumbersItHad) {
  auto spool = Spool::open({.bytes = small});
  std::uint64_t number = 1;
  write_flows(**spool, 0, 55, number);
  const Taken first = take_all(**spool, 2);
  (*spool)->confirm(Clock::now());
  const Taken more = take_all(**spool, 2);
  (*spool)->rewind();
  const Taken again = take_all(**spool);
  EXPECT_EQ(again.sequences.front(), more.sequences.front());
  EXPECT_EQ(again.labels.front(), 22u);
  EXPECT_EQ(again.labels.back(), 54u);
  EXPECT_EQ((*spool)->counters().waiting.records, 0u);
  write_flows(**spool, 55, 1, number);
  EXPECT_EQ(take_all(**spool).sequences.front(), 60u);
}

TEST(Spool, SurvivesTheEndOfTheProgram) {
  const Folder folder;
  {
    auto spool = Spool::open({folder.path(), small, 1});
    ASSERT_TRUE(spool) << spool.error().message;
    std::uint64_t number = 1;
    write_flows(**spool, 0, 33, number, 1);
    take_all(**spool, 1);  // 11 of them, not confirmed
  }  // nothing is said goodbye to
  auto spool = Spool::open({folder.path(), small, 2});
  ASSERT_TRUE(spool) << spool.error().message;
  EXPECT_EQ((*spool)->counters().left_over.records, 33u);
  std::uint64_t number = 1;
  write_flows(**spool, 100, 11, number, 2);
  const Taken taken = take_all(**spool);
  ASSERT_EQ(taken.labels.size(), 44u);
  EXPECT_EQ(taken.labels.front(), 0u);
  EXPECT_EQ(taken.labels.back(), 110u);
  // The old instance goes on where it was, the new one begins at 0.
  EXPECT_EQ(taken.sequences, (std::vector<std::uint32_t>{0, 12, 24, 0}));
  EXPECT_EQ((*spool)->counters().waiting.records, 0u);
}

TEST(Spool, ACutEntryIsLeftOutAndCounted) {
  const Folder folder;
  {
    auto spool = Spool::open({folder.path(), small, 1});
    std::uint64_t number = 1;
    write_flows(**spool, 0, 33, number, 1);
  }
  for (const auto& file : std::filesystem::directory_iterator(folder.path()))
    if (file.file_size() > 0) std::filesystem::resize_file(file, file.file_size() - 10);
  auto spool = Spool::open({folder.path(), small, 2});
  EXPECT_EQ((*spool)->counters().damaged, 1u);
  EXPECT_EQ(take_all(**spool).labels.size(), 22u);
}

TEST(Spool, ChangedBytesAreNotSent) {
  const Folder folder;
  auto spool = Spool::open({folder.path(), small, 1});
  std::uint64_t number = 1;
  write_flows(**spool, 0, 33, number, 1);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (entry.file_size() == 0) continue;
    const int file = ::open(entry.path().c_str(), O_WRONLY);
    ASSERT_EQ(::pwrite(file, "x", 1, 200), 1);
    ::close(file);
  }
  EXPECT_EQ(take_all(**spool).labels.size(), 0u);
  EXPECT_EQ((*spool)->counters().discarded.records, 33u);
  EXPECT_EQ((*spool)->counters().waiting.records, 0u);
}

/// A disk that takes no more, as a limit of the size of files.
TEST(Spool, WhatAFullDiskDoesNotTakeIsCountedAndTheRestGoesOn) {
  const Folder folder;
  auto spool = Spool::open({folder.path(), small, 1});
  std::uint64_t number = 1;
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, SIG_IGN);  // the write fails instead
  const rlimit full{50'000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
  write_flows(**spool, 0, 2'000, number, 1);
  ::setrlimit(RLIMIT_FSIZE, &before);
  const SpoolCounters counters = (*spool)->counters();
  EXPECT_GT(counters.failed_writes, 0u);
  EXPECT_GT(counters.waiting.records, 0u);
  EXPECT_EQ(counters.waiting.records + counters.discarded.records, 2'000u);
  write_flows(**spool, 5'000, 11, number, 1);  // there is room again
  const Taken taken = take_all(**spool);
  EXPECT_EQ(taken.labels.size(), counters.waiting.records + 11);
  EXPECT_EQ(taken.labels.back(), 5'010u);
  EXPECT_EQ((*spool)->counters().damaged, 0u);
}

TEST(Spool, TwoPointsCannotShareAFolder) {
  const Folder folder;
  auto first = Spool::open({folder.path(), small, 1});
  const auto second = Spool::open({folder.path(), small, 2});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("in use"), std::string::npos);
  EXPECT_FALSE(Spool::open({folder.path() + "/missing", small, 2}));
}

}  // namespace
}  // namespace sojourn::ipfix
