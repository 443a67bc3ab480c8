#include "core/host_names.h"

#include <array>
#include <cstring>

#include "core/hash.h"
#include "core/printable.h"

namespace sojourn {

std::size_t HostNames::Hash::operator()(const IpAddress& host) const {
  constexpr HashKey key = HashKey::from_seed(0x6e616d6573);
  std::array<std::uint64_t, 2> words{};
  std::memcpy(words.data(), host.bytes().data(), host.bytes().size());
  return keyed_hash(key, words[0], words[1]);
}

void HostNames::learn(const IpAddress& host, std::string_view name, From from) {
  learn(host, name, from, false);
}

void HostNames::learn(const IpAddress& host, std::string_view name, From from, bool has_others) {
  const auto found = names_.find(host);
  if (found == names_.end()) {
    if (names_.size() >= most_hosts_)
      ++without_room_;
    else
      names_.emplace(host, Known{std::string{name.substr(0, 255)}, from, has_others});
    return;
  }
  Known& known = found->second;
  if (from == known.from) {
    name = name.substr(0, 255);
    known.has_others |= has_others || known.name != name;
    if (name < known.name) known.name = name;
  } else if (from == From::server) {
    known = {std::string{name.substr(0, 255)}, from, has_others};
  }
}

void HostNames::merge(const HostNames& other) {
  for (const auto& [host, known] : other.names_)
    learn(host, known.name, known.from, known.has_others);
  without_room_ += other.without_room_;
}

std::string HostNames::name_of(const IpAddress& host) const {
  const auto found = names_.find(host);
  if (found == names_.end()) return {};
  constexpr std::size_t longest_shown = 60;
  return printable(found->second.name, longest_shown) +
         (found->second.has_others ? " and others" : "");
}

}  // namespace sojourn
