#include "console/last_words.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>

#include "console/exit_status.h"
#include "console/live_view.h"
#include "export/files/output_file.h"

namespace sojourn {
namespace {

/// Needs neither memory nor streams.
[[noreturn]] void end_with(std::string_view line) {
  leave_nothing_behind();
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  ::_exit(exit_error);
}

[[noreturn]] void on_out_of_memory() {
  end_with(
      "sojourn: out of memory, or at a limit of it (ulimit -v); rtt --memory SIZE needs no more "
      "than it is given\n");
}

[[noreturn]] void end_with(std::string_view what, std::string_view why, std::string_view advice) {
  std::array<char, 512> line;
  const auto end =
      fmt::format_to_n(line.data(), line.size(), "sojourn: {}: {}{}\n", what, why, advice).size;
  end_with({line.data(), std::min(end, line.size())});
}

/// An uncaught exception.  Those of the standard library have three causes here.
[[noreturn]] void on_terminate() {
  if (const auto exception = std::current_exception()) {
    try {
      std::rethrow_exception(exception);
    } catch (const std::bad_alloc&) {
      on_out_of_memory();
    } catch (const std::length_error&) {
      on_out_of_memory();
    } catch (const std::system_error& error) {
      if (error.code() == std::errc::resource_unavailable_try_again)
        end_with("cannot start a thread", "the system or a limit (ulimit -u, ulimit -v) refuses",
                 "; use fewer --threads");
      end_with("the system refuses", error.what(), "");
    } catch (const std::exception& error) {
      end_with("this is a bug", error.what(), "");
    }
  }
  end_with("sojourn: this is a bug: terminated without an exception\n");
}

}  // namespace

void leave_nothing_behind() {
  OutputFile::remove_unfinished();
  LiveView::leave_screen();
}

void keep_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
        // The lowest free number is this one.
        [[maybe_unused]]
      const int taken = ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void install_last_words() {
  std::set_new_handler(on_out_of_memory);
  std::set_terminate(on_terminate);
}

}  // namespace sojourn
