#include "export/files/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "export/files/output_path.h"

namespace sojourn {
namespace {

/// The temporary files of all OutputFiles, for remove_unfinished().  A run has half a dozen; any
/// more would only not be removed on a crash.
using Path = std::array<char, 4096>;
struct Unfinished {
  std::atomic<bool> taken{false}, valid{false};
  Path path{};
};
std::array<Unfinished, 16> unfinished_files;
std::atomic<bool> no_reader{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // read in signal handlers

void remember(const std::string& path) {
  if (path.size() >= Path{}.size()) return;
  for (Unfinished& file : unfinished_files)
    if (!file.taken.exchange(true)) {
      std::ranges::copy(path, file.path.begin());
      file.path[path.size()] = '\0';
      file.valid.store(true);
      return;
    }
}

void forget(const std::string& path) {
  for (Unfinished& file : unfinished_files)
    if (file.valid && path == file.path.data()) {
      file.valid.store(false);
      file.taken.store(false);
      return;
    }
}

}  // namespace

Result<OutputFile> OutputFile::open(const std::string& path) {
  OutputFile file;
  file.name_ = path == "-" ? "standard output" : path;
  file.target_ = followed(path);
  const auto inherited = path == "-" ? STDOUT_FILENO : open_descriptor(file.target_);
  struct stat about{};
  if (inherited) {
    file.standard_output_ = *inherited == STDOUT_FILENO;
    file.descriptor_ = ::fcntl(*inherited, F_DUPFD_CLOEXEC, 3);
  } else if (::stat(file.target_.c_str(), &about) == 0) {
    // Also checks permission: a file that may not be written may not be replaced either.
    file.descriptor_ = ::open(file.target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file.descriptor_ >= 0 && S_ISREG(about.st_mode)) {
      const int existing = std::exchange(file.descriptor_, -1);
      if (!file.open_beside(file.target_) || !file.keep_mode_and_owner()) {
        file.discard();
        file.descriptor_ = existing;
        file.to_empty_ = true;
      } else {
        ::close(existing);
      }
    }
  } else if (auto opened = file.open_beside(file.target_); !opened) {
    return std::unexpected(opened.error());
  }
  if (file.descriptor_ < 0) {
    file.error_ = errno;
    return std::unexpected(file.refused().error());
  }
  return file;
}

Result<void> OutputFile::open_beside(const std::string& target) {
  const std::size_t leaf = target.rfind('/') + 1;  // npos + 1 is 0
  constexpr std::size_t longest_leaf = 240;        // NAME_MAX, less what is added
  const std::string stem = target.substr(0, leaf) + target.substr(leaf, longest_leaf);
  std::random_device random;
  do {
    temporary_ = fmt::format("{}.part-{:06x}", stem, random() & 0xffffffu);
    descriptor_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ >= 0) {
    remember(temporary_);
    return {};
  }
  error_ = errno;
  temporary_.clear();
  auto result = refused();
  error_ = 0;
  return result;
}

/// Those of the file to replace.  The owner first: changing the owner clears the set-user-ID bit.
bool OutputFile::keep_mode_and_owner() const {
  struct stat before{}, now{};
  if (::stat(target_.c_str(), &before) != 0 || ::fstat(descriptor_, &now) != 0) return false;
  if ((before.st_uid != now.st_uid || before.st_gid != now.st_gid) &&
      ::fchown(descriptor_, before.st_uid, before.st_gid) != 0)
    return false;
  return ::fchmod(descriptor_, before.st_mode & 07777) == 0;
}

OutputFile::OutputFile(OutputFile&& other) noexcept { swap(other); }

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  swap(other);
  return *this;
}

OutputFile::~OutputFile() { discard(); }

Result<void> OutputFile::hold_place() {
  if (temporary_.empty()) return {};
  place_ = ::open(target_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (place_ < 0) error_ = errno;
  ::unlink(temporary_.c_str());  // its descriptor is enough
  forget(std::exchange(temporary_, {}));
  return refused();
}

void OutputFile::copy_into_place() {
  std::vector<char> piece(std::size_t{1} << 18);
  OutputFile place;
  place.descriptor_ = std::exchange(place_, -1);
  place.to_empty_ = true;
  ::lseek(descriptor_, 0, SEEK_SET);
  while (!failed()) {
    const ssize_t count = ::read(descriptor_, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) error_ = errno;
    if (count <= 0) break;
    place.write({piece.data(), static_cast<std::size_t>(count)});
    if (place.failed()) error_ = place.error_;
  }
  if (!failed() && !place.finish()) error_ = place.error_;
}

void OutputFile::write(std::string_view bytes) {
  if (to_empty_ && ::ftruncate(descriptor_, 0) != 0) error_ = errno;
  to_empty_ = false;
  while (!failed() && !bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(count));
    else if (errno != EINTR)
      error_ = errno;
  }
  if (error_ == EPIPE && standard_output_) no_reader = true;
}

bool OutputFile::reader_gone() { return no_reader; }

Result<void> OutputFile::finish() {
  if (descriptor_ < 0) return {};
  write({});
  if (!failed() && place_ >= 0) copy_into_place();
  // Some file systems report only now that the disk is full (close(2), "Dealing with error
  // returns").
  if (::close(std::exchange(descriptor_, -1)) != 0 && !failed()) error_ = errno;
  if (!failed() && !temporary_.empty()) {
    if (::rename(temporary_.c_str(), target_.c_str()) != 0)
      error_ = errno;
    else
      forget(std::exchange(temporary_, {}));
  }
  discard();
  if (error_ == EPIPE && standard_output_) return {};
  return refused();
}

void OutputFile::discard() {
  if (place_ >= 0) ::close(std::exchange(place_, -1));
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  forget(std::exchange(temporary_, {}));
}

Result<void> OutputFile::refused() const {
  if (error_ == 0) return {};
  return failure(fmt::format("cannot write {}: {}", name_, std::strerror(error_)));
}

void OutputFile::remove_unfinished() {
  for (const Unfinished& file : unfinished_files)
    if (file.valid) ::unlink(file.path.data());
}

void OutputFile::swap(OutputFile& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(target_, other.target_);
  std::swap(temporary_, other.temporary_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(place_, other.place_);
  std::swap(error_, other.error_);
  std::swap(to_empty_, other.to_empty_);
  std::swap(standard_output_, other.standard_output_);
}

}  // namespace sojourn
