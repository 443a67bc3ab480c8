#pragma once
// Resolves paths before anything is opened.

#include <sys/types.h>

#include <optional>
#include <string>

namespace sojourn {

/// `path` after all symbolic links, which may lead to a file that does not exist yet.
std::string followed(std::string path);

/// The N of /proc/self/fd/N and /dev/fd/N, including /dev/stdout: a file that is already open.
/// Opening it again would lose the write position.
std::optional<int> open_descriptor(const std::string& followed_path);

/// The identity of a file, whatever its name: its device and inode, or those of its folder with its
/// name there if it does not exist yet.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  std::string name_in_folder = {};
  mode_t mode = 0;

  /// "-" is descriptor `standard`.  nullopt if the folder does not exist either.
  static std::optional<FileIdentity> of(const std::string& path, int standard);
  /// Whether it stores what is written to it, or passes it to one reader: not a terminal, /dev/null
  /// or a socket, which may be read and written, or written twice.
  bool keeps_bytes() const;
  friend bool operator==(const FileIdentity& a, const FileIdentity& b) {
    return a.device == b.device && a.inode == b.inode && a.name_in_folder == b.name_in_folder;
  }
};

}  // namespace sojourn
