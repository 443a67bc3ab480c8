// How the program ends when it cannot continue, and what it keeps.

#include "console/last_words.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>

#include "console/drop_privileges.h"
#include "console/exit_status.h"

namespace sojourn {
namespace {

using testing::ExitedWithCode;

/// In a child: an uncaught exception.
void rethrow_unseen(const std::exception_ptr& exception) noexcept {
  install_last_words();
  std::rethrow_exception(exception);
}
template <class Exception>
void throw_unseen(const Exception& exception) {
  rethrow_unseen(std::make_exception_ptr(exception));
}

TEST(LastWordsDeathTest, SayWhatToDoNext) {
  const std::system_error no_thread{
      std::make_error_code(std::errc::resource_unavailable_try_again)};
  EXPECT_EXIT(throw_unseen(no_thread), ExitedWithCode(exit_error),
              "^sojourn: cannot start a thread: .*use fewer --threads\n$");
  const std::system_error refused{std::make_error_code(std::errc::permission_denied)};
  EXPECT_EXIT(throw_unseen(refused), ExitedWithCode(exit_error),
              "^sojourn: the system refuses: Permission denied\n$");
  EXPECT_EXIT(throw_unseen(std::bad_alloc{}), ExitedWithCode(exit_error),
              "^sojourn: out of memory.*--memory");
  EXPECT_EXIT(throw_unseen(std::length_error{"too long"}), ExitedWithCode(exit_error),
              "^sojourn: out of memory");
  EXPECT_EXIT(throw_unseen(std::runtime_error{"unheard of"}), ExitedWithCode(exit_error),
              "^sojourn: this is a bug: unheard of\n$");
  const auto terminate_unasked = [] {
    install_last_words();
    std::terminate();
  };
  EXPECT_EXIT(terminate_unasked(), ExitedWithCode(exit_error),
              "^sojourn: this is a bug: terminated without an exception\n$");
}

/// Otherwise the next opened file would become standard output, and results be written into it.  A
/// program that reads its standard input gets an error, as does one that writes.
TEST(StandardDescriptorsDeathTest, AreTakenIfTheyAreClosed) {
  const auto check = [] {
    ::close(STDIN_FILENO);
    ::close(STDOUT_FILENO);
    keep_standard_descriptors();
    char byte = 0;
    const bool reads = ::read(STDIN_FILENO, &byte, 1) >= 0;
    const int reading_failed_by = errno;
    const bool writes = ::write(STDOUT_FILENO, &byte, 1) >= 0;
    const int next = ::open("/dev/null", O_RDONLY);
    std::_Exit(!reads && reading_failed_by == EBADF && !writes && next > STDERR_FILENO ? 7 : 1);
  };
  EXPECT_EXIT(check(), ExitedWithCode(7), "");
}

TEST(DropPrivileges, KnowsThatAUserIsNotThere) {
  const auto dropped = drop_privileges("no-such-user");
  ASSERT_FALSE(dropped);
  EXPECT_EQ(dropped.error().message, "there is no user no-such-user");
}

TEST(DropPrivilegesDeathTest, BecomesTheUserAndKeepsNoCapability) {
  const passwd* const nobody = ::getpwnam("nobody");
  if (::getuid() != 0 || nobody == nullptr) GTEST_SKIP() << "only root becomes somebody else";
  const auto check = [user = nobody->pw_uid, group = nobody->pw_gid] {
    const auto dropped = drop_privileges("nobody");
    const bool is_nobody = ::getuid() == user && ::geteuid() == user && ::getgid() == group;
    const bool no_way_back = ::setuid(0) != 0 && ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
    std::_Exit(dropped && is_nobody && no_way_back ? 7 : 1);
  };
  EXPECT_EXIT(check(), ExitedWithCode(7), "");
}

TEST(DropPrivilegesDeathTest, WithoutAUserGivesUpCapabilitiesAlone) {
  const auto check = [user = ::getuid()] {
    const auto dropped = drop_privileges("");
    // No capability: neither to change the user nor the clock.
    const bool may_not = user != 0 || ::setgid(12'345) != 0;
    std::_Exit(dropped && ::getuid() == user && may_not ? 7 : 1);
  };
  EXPECT_EXIT(check(), ExitedWithCode(7), "");
}

}  // namespace
}  // namespace sojourn
