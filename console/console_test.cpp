// The program's use of the terminal: each test runs in a child whose output is a pseudo-terminal.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "console/interrupt.h"
#include "console/live_view.h"
#include "console/output.h"
#include "console/progress.h"
#include "console/terminal.h"
#include "export/files/run_files.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

struct Shown {
  std::string text;  ///< sent to the terminal
  int status = 0;    ///< from waitpid()
};

/// Runs `act` in a child with a terminal of 40 rows of 100 columns as its two outputs.
Shown on_terminal(const std::function<int()>& act) {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
  EXPECT_GE(master, 0);
  EXPECT_EQ(::grantpt(master), 0);
  EXPECT_EQ(::unlockpt(master), 0);
  const std::string name = ::ptsname(master);
  const pid_t child = ::fork();
  if (child == 0) {
    const int terminal = ::open(name.c_str(), O_RDWR | O_NOCTTY);
    const winsize size{.ws_row = 40, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
    ::ioctl(terminal, TIOCSWINSZ, &size);
    ::dup2(terminal, STDOUT_FILENO);
    ::dup2(terminal, STDERR_FILENO);
    ::alarm(20);
    ::_exit(act());
  }
  Shown shown;
  const auto take = [&] {
    char buffer[4096];
    const ssize_t count = ::read(master, buffer, sizeof buffer);
    if (count > 0) shown.text.append(buffer, static_cast<std::size_t>(count));
    return count > 0;
  };
  // A read fails while no process has the terminal open: before the child opens it, and at the end.
  for (bool ended = false; !ended;) {
    ended = ::waitpid(child, &shown.status, WNOHANG) == child;
    while (take()) {
    }
    std::this_thread::sleep_for(1ms);
  }
  ::close(master);
  return shown;
}

void set(const char* name, const char* value) {
  value ? ::setenv(name, value, 1) : ::unsetenv(name);
}

bool unicode_with(const char* all, const char* ctype, const char* lang) {
  set("LC_ALL", all), set("LC_CTYPE", ctype), set("LANG", lang);
  return unicode_wanted();
}

TEST(Terminal, TheFirstLocaleThatIsSetDecides) {
  EXPECT_TRUE(unicode_with("de_DE.UTF-8", "C", "C"));
  EXPECT_FALSE(unicode_with("C", "en_US.utf8", "en_US.utf8"));
  EXPECT_TRUE(unicode_with(nullptr, "en_US.utf8", "C"));
  EXPECT_TRUE(unicode_with("", "", "C.UTF-8")) << "empty is not set";
  EXPECT_FALSE(unicode_with(nullptr, nullptr, nullptr));
  EXPECT_FALSE(unicode_with("de_DE.ISO-8859-1", nullptr, nullptr));
}

TEST(Terminal, HasAScreenAndColoursUnlessItIsDumbOrNobodyWantsThem) {
  const auto exit_of = [](const char* term, const char* no_color, bool (*asked)()) {
    const Shown shown = on_terminal([&] {
      set("TERM", term), set("NO_COLOR", no_color);
      return asked() ? 1 : 0;
    });
    return WEXITSTATUS(shown.status);
  };
  EXPECT_EQ(exit_of("xterm", nullptr, screen_there), 1);
  EXPECT_EQ(exit_of("dumb", nullptr, screen_there), 0);
  EXPECT_EQ(exit_of("", nullptr, screen_there), 0);
  EXPECT_EQ(exit_of("xterm", nullptr, color_wanted), 1);
  EXPECT_EQ(exit_of("xterm", "1", color_wanted), 0);
  EXPECT_EQ(exit_of("dumb", nullptr, color_wanted), 0);
}

TEST(Terminal, TellsItsSize) {
  const Shown shown = on_terminal([] {
    const ScreenSize size = screen_size();
    return size.rows == 40 && size.columns == 100 ? 7 : 0;
  });
  EXPECT_EQ(WEXITSTATUS(shown.status), 7);
}

TEST(Progress, DrawsABarAfterAWhileAndWipesIt) {
  const Shown shown = on_terminal([] {
    set("TERM", "xterm");
    Progress progress;
    progress.show(0.1, 10);  // too early
    std::this_thread::sleep_for(350ms);
    progress.show(0.5, 1'234);
    progress.show(0.6, 5'678);  // too soon again
    std::this_thread::sleep_for(150ms);
    progress.show(-1, "counting");
    return 0;
  });
  EXPECT_EQ(shown.text,
            "\r\033[K  [===============               ]  50 %  1 234 packets"
            "\r\033[K  counting\r\033[K");
}

TEST(Progress, IsSilentOnADumbTerminal) {
  const Shown shown = on_terminal([] {
    set("TERM", "dumb");
    Progress progress;
    std::this_thread::sleep_for(350ms);
    progress.show(0.5, 1);
    return 0;
  });
  EXPECT_EQ(shown.text, "");
}

TEST(LiveView, DrawsOnTheOtherScreenAndGivesItBack) {
  const Shown shown = on_terminal([] {
    set("TERM", "xterm");
    LiveView view{true};
    if (view.due()) return 1;  // not before a second has passed
    view.show("a\nb");
    if (view.due()) return 2;
    ::raise(SIGWINCH);
    if (!view.due()) return 3;  // at once when the size has changed
    if (view.due()) return 4;
    view.show("c");
    std::this_thread::sleep_for(1050ms);
    return view.due() ? 0 : 5;
  });
  EXPECT_EQ(WEXITSTATUS(shown.status), 0);
  EXPECT_TRUE(shown.text.starts_with("\033[?1049h\033[?25l\033[Ha\033[K\r\nb\033[K\033[J\033[Hc"))
      << shown.text;
  EXPECT_EQ(shown.text.find("\033[?1049h", 1), std::string::npos) << "entered once";
  EXPECT_TRUE(shown.text.ends_with("\033[?25h\033[?1049l"));
}

TEST(LiveView, DrawsNothingIfItIsNotWanted) {
  const Shown shown = on_terminal([] {
    set("TERM", "xterm");
    LiveView view{false};
    std::this_thread::sleep_for(1050ms);
    return view.due() ? 1 : 0;
  });
  EXPECT_EQ(WEXITSTATUS(shown.status), 0);
  EXPECT_EQ(shown.text, "");
}

TEST(Interrupts, TheFirstEndsTheReadingTheSecondTheProgram) {
  const auto after = [](std::initializer_list<int> signals) {
    return on_terminal([&] {
      watch_for_interrupts();
      if (interrupted()) return 1;
      for (const int number : signals) ::raise(number);
      return interrupted() ? 7 : 2;
    });
  };
  EXPECT_EQ(WEXITSTATUS(after({}).status), 2);
  for (const int number : {SIGINT, SIGTERM, SIGHUP})
    EXPECT_EQ(WEXITSTATUS(after({number}).status), 7) << number;
  EXPECT_EQ(WEXITSTATUS(after({SIGHUP, SIGHUP, SIGINT}).status), 7) << "SIGHUP may come twice";
  const Shown killed = after({SIGINT, SIGTERM});
  ASSERT_TRUE(WIFSIGNALED(killed.status));
  EXPECT_EQ(WTERMSIG(killed.status), SIGTERM);
}

TEST(Interrupts, AnIgnoredHangupStaysIgnored) {
  const Shown shown = on_terminal([] {
    std::signal(SIGHUP, SIG_IGN);
    watch_for_interrupts();
    ::raise(SIGHUP);
    return interrupted() ? 1 : 7;
  });
  EXPECT_EQ(WEXITSTATUS(shown.status), 7);
}

TEST(Interrupts, AnEndAtOnceGivesTheScreenBack) {
  const Shown shown = on_terminal([] {
    set("TERM", "xterm");
    clean_up_on_signals();
    LiveView view{true};
    view.show("figures");
    ::raise(SIGTERM);
    return 0;
  });
  ASSERT_TRUE(WIFSIGNALED(shown.status));
  EXPECT_EQ(WTERMSIG(shown.status), SIGTERM);
  EXPECT_TRUE(shown.text.ends_with("\033[?25h\033[?1049l")) << shown.text;
}

TEST(Interrupts, CanBeAskedForAndReadersMayGo) {
  const Shown stopped = on_terminal([] {
    stop_reading();
    return interrupted() ? 7 : 1;
  });
  EXPECT_EQ(WEXITSTATUS(stopped.status), 7);
  const Shown gone = on_terminal([] -> int { end_for_lack_of_readers(); });
  ASSERT_TRUE(WIFSIGNALED(gone.status));
  EXPECT_EQ(WTERMSIG(gone.status), SIGPIPE);
}

TEST(Interrupts, AShortenedFileIsOneLineAndAFailure) {
  const Shown shown = on_terminal([] {
    watch_for_shortened_files();
    ::raise(SIGBUS);
    return 0;
  });
  EXPECT_EQ(WEXITSTATUS(shown.status), 1);
  EXPECT_TRUE(shown.text.starts_with("sojourn: a capture was shortened while it was read"));
}

TEST(Output, ComplaintsAreOneLineThatIsFitForATerminal) {
  const Shown shown = on_terminal([] {
    complain("cannot open \033[31mx");
    warn(std::string(5'000, 'y'));
    return 0;
  });
  EXPECT_TRUE(shown.text.starts_with("sojourn: cannot open "));
  EXPECT_EQ(shown.text.find('\033'), std::string::npos);
  EXPECT_NE(shown.text.find("\r\nsojourn: warning: yyy"), std::string::npos);
  EXPECT_LT(shown.text.size(), 1'200u);
}

TEST(Output, WhatIsSaidArrivesAndFilesAreWritten) {
  const Shown shown = on_terminal([] {
    if (!flush_output()) return 1;  // nothing was said: nothing can have failed
    say_text("1 of 2");
    return flush_output() ? 7 : 2;
  });
  EXPECT_EQ(WEXITSTATUS(shown.status), 7);
  EXPECT_EQ(shown.text, "1 of 2");

  const std::string folder = testing::TempDir() + "console_test_" + std::to_string(::getpid());
  ASSERT_TRUE(make_folder(folder + "/a/b"));
  EXPECT_TRUE(make_folder(folder + "/a/b")) << "it is there already";
  RunFiles files;
  ASSERT_TRUE(write_file(files, folder + "/a/b/c", "text"));
  std::ifstream file{folder + "/a/b/c"};
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>{file}, {}}), "text");
  EXPECT_FALSE(write_file(files, folder + "/none/c", "text"));
  EXPECT_FALSE(make_folder(folder + "/a/b/c/d"));
  files.reads(folder + "/a/b/c");
  EXPECT_FALSE(write_file(files, folder + "/a/b/c", "more"));
  std::filesystem::remove_all(folder);
}

TEST(Output, StandardOutputMayNotBeAnInput) {
  const std::string path = testing::TempDir() + "console_test_" + std::to_string(::getpid());
  std::ofstream{path} << "input";
  const Shown shown = on_terminal([&] {
    const int file = ::open(path.c_str(), O_WRONLY | O_APPEND);
    if (file < 0 || ::dup2(file, STDOUT_FILENO) < 0) return 1;
    RunFiles files;
    files.reads(path);
    if (open_output(files)) return 2;
    RunFiles others;
    if (!open_output(others)) return 3;
    say_text("said");
    return flush_output() ? 7 : 4;
  });
  EXPECT_EQ(WEXITSTATUS(shown.status), 7);
  std::ifstream file{path};
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>{file}, {}}), "inputsaid");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace sojourn
