#include "export/files/output_path.h"

#include <sys/stat.h>

#include <charconv>
#include <filesystem>
#include <string_view>

namespace sojourn {
namespace {

std::optional<int> number_after(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

}  // namespace

std::string followed(std::string path) {
  std::error_code error;
  for (int links = 0; links < 40 && !open_descriptor(path); ++links) {  // ELOOP's limit in Linux
    const std::filesystem::path target = std::filesystem::read_symlink(path, error);
    if (error) break;
    path = target.is_absolute() ? target : std::filesystem::path{path}.parent_path() / target;
  }
  return path;
}

std::optional<int> open_descriptor(const std::string& followed_path) {
  for (const std::string_view folder : {"/proc/self/fd/", "/dev/fd/"})
    if (const auto number = number_after(followed_path, folder)) return number;
  return std::nullopt;
}

std::optional<FileIdentity> FileIdentity::of(const std::string& path, int standard) {
  struct stat about{};
  if (path == "-" ? ::fstat(standard, &about) == 0 : ::stat(path.c_str(), &about) == 0)
    return FileIdentity{.device = about.st_dev, .inode = about.st_ino, .mode = about.st_mode};
  const std::filesystem::path place = followed(path);
  const std::string folder = place.has_parent_path() ? place.parent_path().string() : ".";
  if (::stat(folder.c_str(), &about) != 0) return std::nullopt;
  return FileIdentity{.device = about.st_dev,
                      .inode = about.st_ino,
                      .name_in_folder = place.filename(),
                      .mode = S_IFREG};
}

bool FileIdentity::keeps_bytes() const { return S_ISREG(mode) || S_ISBLK(mode) || S_ISFIFO(mode); }

}  // namespace sojourn
