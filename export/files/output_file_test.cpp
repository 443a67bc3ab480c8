#include "export/files/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "export/files/run_files.h"

namespace sojourn {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public ::testing::Test {
 protected:
  OutputFileTest() {
    std::string name = (fs::temp_directory_path() / "output_file_test-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~OutputFileTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream{path(name)} << text;
  }
  std::string content(const std::string& name) const {
    std::ifstream file{path(name)};
    return {std::istreambuf_iterator<char>{file}, {}};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator{folder_}, fs::directory_iterator{}));
  }
  void write(const std::string& name, const std::string& text) const {
    auto file = OutputFile::open(path(name));
    ASSERT_TRUE(file) << file.error().message;
    file->write(text);
    ASSERT_TRUE(file->finish());
  }

  fs::path folder_;
};

TEST_F(OutputFileTest, AppearsWhole) {
  auto file = OutputFile::open(path("new.csv"));
  ASSERT_TRUE(file);
  file->write("one\n");
  EXPECT_FALSE(fs::exists(path("new.csv")));
  file->write("two\n");
  ASSERT_TRUE(file->finish());
  EXPECT_EQ(content("new.csv"), "one\ntwo\n");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFileTest, LeavesNothingBehindAndTheOldContentWhereItIsNotFinished) {
  put("old.csv", "old");
  {
    auto replaced = OutputFile::open(path("old.csv"));
    auto fresh = OutputFile::open(path("fresh.csv"));
    ASSERT_TRUE(replaced && fresh);
    replaced->write("half");
    fresh->write("half");
    EXPECT_EQ(content("old.csv"), "old");
  }
  EXPECT_EQ(content("old.csv"), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFileTest, RemovesWhatIsNotFinishedWhenTheProgramMustEnd) {
  auto file = OutputFile::open(path("new.csv"));
  ASSERT_TRUE(file);
  EXPECT_EQ(files(), 1u);
  OutputFile::remove_unfinished();
  EXPECT_EQ(files(), 0u);
}

TEST_F(OutputFileTest, KeepsTheModeOfAnExistingFile) {
  put("secret.csv", "old");
  ASSERT_EQ(::chmod(path("secret.csv").c_str(), 0640), 0);
  write("secret.csv", "new");
  struct stat about{};
  ASSERT_EQ(::stat(path("secret.csv").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777u, 0640u);
  EXPECT_EQ(content("secret.csv"), "new");
}

TEST_F(OutputFileTest, KeepsTheOwnerOfAnExistingFile) {
  put("theirs.csv", "old");
  if (::chown(path("theirs.csv").c_str(), 12'345, 23'456) != 0)
    GTEST_SKIP() << "only root can give files away";
  write("theirs.csv", "new");
  struct stat about{};
  ASSERT_EQ(::stat(path("theirs.csv").c_str(), &about), 0);
  EXPECT_EQ(about.st_uid, 12'345u);
  EXPECT_EQ(about.st_gid, 23'456u);
}

TEST_F(OutputFileTest, ANewFileHasTheModeThatUmaskAllows) {
  const mode_t before = ::umask(027);
  write("new.csv", "new");
  ::umask(before);
  struct stat about{};
  ASSERT_EQ(::stat(path("new.csv").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777u, 0640u);
}

TEST_F(OutputFileTest, FollowsSymbolicLinks) {
  fs::create_directory(path("elsewhere"));
  put("elsewhere/real.csv", "old");
  fs::create_symlink("elsewhere/real.csv", path("link.csv"));
  fs::create_symlink("elsewhere/later.csv", path("dangling.csv"));
  write("link.csv", "new");
  write("dangling.csv", "newer");
  EXPECT_TRUE(fs::is_symlink(path("link.csv")));
  EXPECT_TRUE(fs::is_symlink(path("dangling.csv")));
  EXPECT_EQ(content("elsewhere/real.csv"), "new");
  EXPECT_EQ(content("elsewhere/later.csv"), "newer");
}

TEST_F(OutputFileTest, WritesToOpenDescriptorsWhereTheyAre) {
  const int open = ::open(path("log").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(::write(open, "head\n", 5), 5);
  auto file = OutputFile::open("/dev/fd/" + std::to_string(open));
  ASSERT_TRUE(file) << file.error().message;
  file->write("body\n");
  ASSERT_TRUE(file->finish());
  ::close(open);
  EXPECT_EQ(content("log"), "head\nbody\n");
}

TEST_F(OutputFileTest, TakesTheLongestName) { write(std::string(255, 'n'), "new"); }

TEST_F(OutputFileTest, SaysWhatCannotBeWritten) {
  const auto nowhere = OutputFile::open(path("no-folder/x.csv"));
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().message.find("no-folder/x.csv: No such file"), std::string::npos);
  EXPECT_FALSE(OutputFile::open(folder_));
  auto full = OutputFile::open("/dev/full");
  ASSERT_TRUE(full);
  full->write("something");
  EXPECT_TRUE(full->failed());
  const auto finished = full->finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().message, "cannot write /dev/full: No space left on device");
}

TEST_F(OutputFileTest, NeedsNoRightsOnceItsPlaceIsHeld) {
  put("old.csv", "much that was there before");
  auto old = OutputFile::open(path("old.csv")), fresh = OutputFile::open(path("fresh.csv"));
  ASSERT_TRUE(old && fresh);
  old->write("new");
  ASSERT_TRUE(old->hold_place() && fresh->hold_place());
  EXPECT_EQ(files(), 2u);
  EXPECT_EQ(content("old.csv"), "much that was there before");
  const std::string large(1'000'000, 'x');
  OutputFile moved = std::move(*fresh);
  moved.write(large);
  old->write("er");
  // A file that is moved into place would be another one than the one that is open here.
  struct stat held{}, finished{};
  ASSERT_EQ(::stat(path("fresh.csv").c_str(), &held), 0);
  ASSERT_TRUE(old->finish() && moved.finish());
  ASSERT_EQ(::stat(path("fresh.csv").c_str(), &finished), 0);
  EXPECT_EQ(finished.st_ino, held.st_ino);
  EXPECT_EQ(content("old.csv"), "newer");
  EXPECT_EQ(content("fresh.csv"), large);
  EXPECT_EQ(files(), 2u);
}

TEST_F(OutputFileTest, NoOutputIsAnInput) {
  put("in.pcap", "input");
  fs::create_symlink("in.pcap", path("link"));
  fs::create_hard_link(path("in.pcap"), path("hard"));
  RunFiles run;
  run.reads(path("in.pcap"));
  for (const char* name : {"in.pcap", "link", "hard"}) EXPECT_FALSE(run.open(path(name))) << name;
  EXPECT_FALSE(run.open(folder_ / "." / "in.pcap"));
  EXPECT_TRUE(run.open(path("out.csv")));
  EXPECT_EQ(content("in.pcap"), "input");
}

TEST_F(OutputFileTest, NoFileIsWrittenTwice) {
  put("old", "old");
  RunFiles run;
  EXPECT_TRUE(run.open(path("old")));
  EXPECT_FALSE(run.open(path("old")));
  EXPECT_TRUE(run.open(path("new")));
  EXPECT_FALSE(run.open(folder_ / "." / "new"));
  EXPECT_TRUE(run.open("/dev/null"));
  EXPECT_TRUE(run.open("/dev/null"));
}

TEST_F(OutputFileTest, OnlyACaptureReplacesACapture) {
  const std::string magics[] = {"\xd4\xc3\xb2\xa1", "\xa1\xb2\x3c\x4d", "\x0a\x0d\x0d\x0a",
                                "\x1f\x8b\x08\x00", "\x28\xb5\x2f\xfd"};
  for (const std::string& magic : magics) {
    std::ofstream{path("some.pcap"), std::ios::binary} << magic << "and so on";
    EXPECT_FALSE(RunFiles{}.open(path("some.pcap")));
    EXPECT_TRUE(RunFiles{}.open(path("some.pcap"), OutputContent::capture));
  }
  put("some.csv", "time_ns,kind\n");
  EXPECT_TRUE(RunFiles{}.open(path("some.csv")));
}

TEST_F(OutputFileTest, LinesAreThereAtOnce) {
  put("old.csv", "old\n");
  RunFiles run;
  auto lines = run.open_lines(path("old.csv"));
  ASSERT_TRUE(lines) << lines.error().message;
  EXPECT_EQ(content("old.csv"), "old\n") << "until the run begins";
  ASSERT_TRUE(lines->begin("header\n"));
  EXPECT_EQ(content("old.csv"), "header\n");
  ASSERT_TRUE(lines->write("1\n"));
  EXPECT_EQ(content("old.csv"), "header\n1\n");
  LineFile none;
  EXPECT_TRUE(none.begin("header\n") && none.write("1\n"));
}

TEST_F(OutputFileTest, LinesThatNeverBeginLeaveNothing) {
  put("old.csv", "old\n");
  {
    RunFiles run;
    const auto fresh = run.open_lines(path("fresh.csv")), old = run.open_lines(path("old.csv"));
    ASSERT_TRUE(fresh && old);
    EXPECT_TRUE(fs::exists(path("fresh.csv"))) << "its place is held";
  }
  EXPECT_EQ(content("old.csv"), "old\n");
  EXPECT_EQ(files(), 1u);
  {
    auto fresh = LineFile::open(path("fresh.csv"));
    ASSERT_TRUE(fresh);
    ASSERT_TRUE(fresh->begin(""));
  }
  EXPECT_EQ(files(), 2u);
}

TEST_F(OutputFileTest, LinesDestroyNeitherInputsNorCapturesNorOutputs) {
  put("key.pem", "key");
  put("a.pcap", "\xd4\xc3\xb2\xa1 and so on");
  RunFiles run;
  run.reads(path("key.pem"));
  run.reads("");  // an option that was not given
  ASSERT_TRUE(run.open(path("flows.csv")));
  for (const char* name : {"key.pem", "a.pcap", "flows.csv"})
    EXPECT_FALSE(run.open_lines(path(name))) << name;
  ASSERT_TRUE(run.open_lines(path("lines.csv")));
  EXPECT_FALSE(run.open(path("lines.csv")));
}

TEST_F(OutputFileTest, LinesThatNobodyReadsAreAFailure) {
  std::signal(SIGPIPE, SIG_IGN);
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const int reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  auto lines = LineFile::open(path("pipe"));
  ASSERT_TRUE(lines);
  EXPECT_TRUE(lines->begin("header\n")) << "a pipe cannot be emptied";
  ::close(reader);
  const auto written = lines->write("1\n");
  ASSERT_FALSE(written);
  EXPECT_TRUE(lines->reader_gone());
  LineFile moved = std::move(*lines);
  EXPECT_TRUE(moved.reader_gone()) << "whoever holds the file now has to know, too";
  EXPECT_TRUE(written.error().message.contains("pipe: Broken pipe")) << written.error().message;
  auto full = LineFile::open("/dev/full");
  ASSERT_TRUE(full);
  EXPECT_FALSE(full->begin("header\n"));
  EXPECT_FALSE(full->reader_gone());
}

}  // namespace
}  // namespace sojourn
