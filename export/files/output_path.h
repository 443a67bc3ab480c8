#pragma once
// Where a path leads, before anything is opened.

#include <sys/types.h>

#include <optional>
#include <string>

namespace sojourn {

/// `path` after all symbolic links, which may lead to a file that is not there yet.
std::string followed(std::string path);

/// The N of /proc/self/fd/N and /dev/fd/N, where /dev/stdout leads too: a file that is open
/// already.  Opening it anew would forget how far it was written.
std::optional<int> open_descriptor(const std::string& followed_path);

/// Which file it is, whatever its name: device and inode of it, or of its folder and its name
/// there if it does not exist yet.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  std::string name_in_folder = {};
  mode_t mode = 0;

  /// "-" is descriptor `standard`.  Nothing if there is no such folder either.
  static std::optional<FileIdentity> of(const std::string& path, int standard);
  /// Something that keeps what is written to it, or hands it on to one reader: not a terminal,
  /// /dev/null or a socket, which may well be read and written, or written twice.
  bool keeps_bytes() const;
  friend bool operator==(const FileIdentity& a, const FileIdentity& b) {
    return a.device == b.device && a.inode == b.inode && a.name_in_folder == b.name_in_folder;
  }
};

}  // namespace sojourn
