#pragma once
// Which samples belong together: --by flow, host, prefix/24, ...

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/sample.h"

namespace sojourn {

/// The part of a sample that a grouping looks at; the rest is zero.
struct GroupKey {
  IpAddress requester;
  IpAddress responder;
  std::uint16_t requester_port = 0;
  std::uint16_t responder_port = 0;
  std::uint16_t vlan = 0;
  bool other = false;  ///< stands for all groups that found no room

  friend bool operator==(const GroupKey&, const GroupKey&) = default;
};

std::uint64_t hash_of(const GroupKey& key);

/// How to group.
///
///     flow         requester and responder with their ports: one direction of one connection,
///                  since the two directions measure different legs
///     host         the responder's address: where the delay leads to
///     requester    the requester's address
///     prefix/N     the responder's prefix; IPv6 takes /48, or M with prefix/N/M
///     port         the server's port
///     vlan         the outermost VLAN identifier
class Grouping {
 public:
  enum class By : std::uint8_t { flow, host, requester, prefix, port, vlan };

  static Result<Grouping> parse(std::string_view text);

  GroupKey key_of(const Sample& sample) const;
  /// The group's name for people: "192.0.2.0/24", "port 443", "other".
  std::string label(const GroupKey& key) const;
  /// What the user wrote, with defaults filled in: "prefix/24/48".
  std::string name() const;
  By by() const { return by_; }

 private:
  explicit Grouping(By by) : by_(by) {}

  By by_;
  std::uint8_t prefix_v4_ = 24;
  std::uint8_t prefix_v6_ = 48;
};

}  // namespace sojourn
