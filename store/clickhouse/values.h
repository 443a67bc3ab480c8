#pragma once
// Values as ClickHouse's tables hold them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/address.h"

namespace sojourn {

/// A server refuses an insert into more than 100 partitions, and a point may send any time.
inline constexpr std::size_t most_partitions = 50;
inline constexpr std::size_t most_bytes = std::size_t{64} << 20;

inline constexpr std::string_view mapped_v4{"\0\0\0\0\0\0\0\0\0\0\xff\xff", 12};

/// IPv4 as ::ffff:a.b.c.d, so that one column has both.
inline std::string sixteen_bytes(const IpAddress& address) {
  const auto bytes = address.bytes();
  const std::string text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  return bytes.size() == 4 ? std::string{mapped_v4} + text : text;
}

inline IpAddress address_of(std::string_view sixteen) {
  const auto bytes = std::as_bytes(std::span{sixteen.data(), sixteen.size()});
  if (sixteen.starts_with(mapped_v4)) return IpAddress::v4(bytes.subspan<12, 4>());
  return IpAddress::v6(bytes.first<16>());
}

}  // namespace sojourn
