#include "export/files/run_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>

namespace sojourn {
namespace {

/// By its first bytes: pcap in either byte order (draft-ietf-opsawg-pcap, section 4, and the
/// variant of Kuznetzov), pcapng (draft-ietf-opsawg-pcapng, section 4.1), or a compressed file (RFC
/// 1952, RFC 8878).
bool looks_like_capture(const std::string& path) {
  struct stat about{};
  if (::stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return false;
  std::array<unsigned char, 4> bytes{};
  std::ifstream file{path, std::ios::binary};
  if (!file.read(reinterpret_cast<char*>(bytes.data()), bytes.size())) return false;
  const std::uint32_t big = std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
                            std::uint32_t{bytes[2]} << 8 | bytes[3];
  const std::uint32_t little = __builtin_bswap32(big);
  for (const std::uint32_t magic : {0xa1b2c3d4u, 0xa1b23c4du, 0xa1b2cd34u})
    if (big == magic || little == magic) return true;
  return big == 0x0a0d0d0au || big >> 16 == 0x1f8bu || little == 0xfd2fb528u;
}

}  // namespace

void RunFiles::reads(const std::string& path) {
  if (path.empty()) return;
  const auto identity = FileIdentity::of(path, STDIN_FILENO);
  if (identity && identity->keeps_bytes()) inputs_.push_back(*identity);
}

Result<OutputFile> RunFiles::open(const std::string& path, OutputContent content) {
  if (auto claimed = claim(path, content); !claimed) return std::unexpected(claimed.error());
  return OutputFile::open(path);
}

Result<LineFile> RunFiles::open_lines(const std::string& path) {
  if (auto claimed = claim(path, OutputContent::text); !claimed)
    return std::unexpected(claimed.error());
  return LineFile::open(path);
}

Result<void> RunFiles::claim(const std::string& path, OutputContent content) {
  const std::string name = path == "-" ? "standard output" : path;
  const auto identity = FileIdentity::of(path, STDOUT_FILENO);
  if (identity && identity->keeps_bytes()) {
    if (std::ranges::find(inputs_, *identity) != inputs_.end())
      return failure(name + " is read by this run and would be overwritten; name another file");
    if (std::ranges::find(outputs_, *identity) != outputs_.end())
      return failure(name + " is written by this run already; name another file");
    if (content != OutputContent::capture && path != "-" && looks_like_capture(path))
      return failure(name + " holds a capture, which would be lost; name another file");
    outputs_.push_back(*identity);
  }
  return {};
}

}  // namespace sojourn
