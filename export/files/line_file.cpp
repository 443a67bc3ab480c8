#include "export/files/line_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace sojourn {

Result<LineFile> LineFile::open(const std::string& path) {
  LineFile lines;
  lines.path_ = path;
  constexpr int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_CREAT;
  if (path == "-") {
    lines.descriptor_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  } else {
    lines.descriptor_ = ::open(path.c_str(), flags | O_EXCL, 0666);
    lines.new_ = lines.descriptor_ >= 0;
    if (!lines.new_ && errno == EEXIST) lines.descriptor_ = ::open(path.c_str(), flags, 0666);
  }
  if (lines.descriptor_ < 0) return std::unexpected(lines.refused().error());
  return lines;
}

LineFile::~LineFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (new_) ::unlink(path_.c_str());
}

Result<void> LineFile::begin(std::string_view header) {
  if (descriptor_ < 0) return {};
  new_ = false;
  // A pipe or a terminal cannot be emptied, and need not; standard output may hold what others
  // wrote.
  if (path_ != "-" && ::ftruncate(descriptor_, 0) != 0 && errno != EINVAL) return refused();
  return write(header);
}

Result<void> LineFile::write(std::string_view text) {
  while (descriptor_ >= 0 && !text.empty()) {
    const ssize_t count = ::write(descriptor_, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      reader_gone_ = errno == EPIPE;
      return refused();
    }
  }
  return {};
}

Result<void> LineFile::refused() const {
  return failure(fmt::format("cannot write {}: {}", path_ == "-" ? "standard output" : path_,
                             std::strerror(errno)));
}

void LineFile::swap(LineFile& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(new_, other.new_);
  std::swap(reader_gone_, other.reader_gone_);
}

}  // namespace sojourn
