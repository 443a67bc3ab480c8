#include "wire/headers/tls_server_name.h"

#include "wire/headers/tls.h"

namespace sojourn {
namespace {

/// The rest of a message, in which each part follows its length.
class Rest {
 public:
  explicit Rest(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool skip(std::size_t count) {
    if (bytes_.size() < count) return false;
    bytes_ = bytes_.subspan(count);
    return true;
  }
  std::optional<std::size_t> number(std::size_t size) {
    if (bytes_.size() < size) return std::nullopt;
    std::size_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
      value = value << 8 | std::to_integer<std::size_t>(bytes_[i]);
    bytes_ = bytes_.subspan(size);
    return value;
  }
  /// A length of `size` bytes, and that many bytes behind it.
  bool skip_part(std::size_t size) {
    const auto length = number(size);
    return length && skip(*length);
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace

std::optional<std::string> find_server_name(std::span<const std::byte> captured) {
  const auto record = parse_tls_record(captured);
  if (!record || !record->is(TlsHandshake::client_hello)) return std::nullopt;
  constexpr std::size_t message_header = 4, version_and_random = 34;
  Rest rest{captured.subspan(tls_header_size)};
  // Session identifier, cipher suites, compression methods; then all extensions together.
  if (!rest.skip(message_header + version_and_random) || !rest.skip_part(1) || !rest.skip_part(2) ||
      !rest.skip_part(1) || !rest.number(2))
    return std::nullopt;
  while (true) {
    const auto type = rest.number(2), length = rest.number(2);
    if (!type || !length) return std::nullopt;
    if (*type != 0) {
      if (!rest.skip(*length)) return std::nullopt;
      continue;
    }
    const auto list = rest.number(2), kind = rest.number(1), size = rest.number(2);
    if (!list || !kind || *kind != 0 || !size || *size == 0 || *size > 255 ||
        rest.bytes().size() < *size)
      return std::nullopt;
    std::string name;
    for (const std::byte byte : rest.bytes().first(*size)) {
      const auto c = std::to_integer<unsigned char>(byte);
      name += static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    }
    return name;
  }
}

}  // namespace sojourn
