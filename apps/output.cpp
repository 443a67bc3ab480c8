#include "apps/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "capture/unique_fd.h"

namespace sojourn {

Result<void> write_file(const std::string& path, std::string_view text) {
  const auto refused = [&] {
    return failure(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  };
  const UniqueFd file{path == "-"
                          ? dup(STDOUT_FILENO)
                          : ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
  if (file.get() < 0) return refused();
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return refused();
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return failure(fmt::format("cannot make the folder {}: {}", path, error.message()));
  return {};
}

}  // namespace sojourn
