#include "pipeline/point/point_secret.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "capture/unique_fd.h"
#include "core/sha256.h"

namespace sojourn {
namespace {

std::uint64_t digest_of(std::string_view word, std::span<const std::byte> secret) {
  std::vector<std::byte> bytes;
  for (const char letter : word) bytes.push_back(static_cast<std::byte>(letter));
  bytes.push_back(std::byte{0});
  bytes.insert(bytes.end(), secret.begin(), secret.end());
  const auto digest = sha256(bytes);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) value = value << 8 | digest[i];
  return value;
}

}  // namespace

PointSecret PointSecret::of(std::span<const std::byte> secret) {
  const std::uint64_t fingerprint = digest_of("sojourn fingerprint", secret);
  return {.init = static_cast<std::uint32_t>(digest_of("sojourn label", secret) >> 32),
          .fingerprint = fingerprint == 0 ? 1 : fingerprint};
}

Result<PointSecret> PointSecret::read(const std::string& path) {
  auto file = UniqueFd::open(path);
  if (!file) return std::unexpected(file.error().while_doing("cannot open " + path));
  std::vector<std::byte> bytes(most_bytes + 1);
  std::size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t count = ::read(file->get(), bytes.data() + size, bytes.size() - size);
    if (count < 0) return failure(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  if (size > most_bytes)
    return failure(fmt::format("{} is longer than {} bytes: is it a secret?", path, most_bytes));
  while (size > 0 && (bytes[size - 1] == std::byte{'\n'} || bytes[size - 1] == std::byte{'\r'}))
    --size;
  if (size < least_bytes)
    return failure(
        fmt::format("the secret in {} has {} bytes, and less than {} can be guessed; make "
                    "one with: head -c 32 /dev/urandom | base64 > {}",
                    path, size, least_bytes, path));
  bytes.resize(size);
  return of(bytes);
}

}  // namespace sojourn
