#include "estimate/grouping.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "core/hash.h"
#include "core/host_names.h"
#include "core/parse.h"
#include "naming/dns_words.h"

namespace sojourn {
namespace {

constexpr std::array<std::string_view, 13> names = {
    "flow",   "host",     "requester", "prefix",   "port", "vlan",   "interface",
    "tunnel", "dns-name", "dns-type",  "dns-code", "asn",  "country"};

/// "flow, host, requester, prefix/N, ... or country"
std::string expected_names() {
  auto shown = names;
  shown[static_cast<std::size_t>(Grouping::By::prefix)] = "prefix/N";
  return listed(shown, "or");
}

/// The number up to the next slash, removed from the front of `text`; at most `most`.
std::optional<std::uint8_t> take_length(std::string_view& text, unsigned most) {
  if (!text.starts_with('/')) return std::nullopt;
  text.remove_prefix(1);
  const auto digits = text.substr(0, text.find('/'));
  const auto length = parse_count(digits, 0, most);
  if (!length) return std::nullopt;
  text.remove_prefix(digits.size());
  return static_cast<std::uint8_t>(*length);
}

/// On the server leg the request goes to the server, and a whole exchange starts with the client.
/// Legs named by place do not identify the server; then the lower port is taken, as services have
/// well-known ports and clients ephemeral ones (RFC 6335 section 6).
std::uint16_t server_port(const Sample& sample) {
  switch (sample.leg) {
    case Leg::client:
      return sample.requester_port;
    case Leg::external:
    case Leg::internal:
      return std::min(sample.requester_port, sample.responder_port);
    default:
      return sample.responder_port;
  }
}

/// The fields that a part uses, as bits.
enum Place : unsigned {
  responder = 1,
  requester = 2,
  service = 4,
  network = 8,
  way = 16,
  question_name = 32,
  question_type = 64,
  answer_code = 128
};

unsigned places_of(Grouping::By part) {
  constexpr std::array<unsigned, names.size()> places = {responder | requester | service,
                                                         responder,
                                                         requester,
                                                         responder,
                                                         service,
                                                         network,
                                                         way,
                                                         way,
                                                         question_name,
                                                         question_type,
                                                         answer_code,
                                                         responder,
                                                         responder};
  return places[static_cast<std::size_t>(part)];
}

/// A system may span countries, and a country has many systems.
bool is_territory(Grouping::By part) {
  return part == Grouping::By::asn || part == Grouping::By::country;
}

std::string_view common_place(unsigned places) {
  return places & responder   ? "whose delay it is"
         : places & requester ? "who asked"
         : places & service   ? "which service"
         : places & network   ? "which network"
         : places & way       ? "which way it came"
                              : "the same of a question";
}

}  // namespace

Result<Grouping> Grouping::parse(std::string_view text) {
  Grouping grouping;
  for (const std::string_view part : split_at_commas(text))
    if (auto added = grouping.add(part); !added) return std::unexpected(added.error());
  grouping.limit_names(NameTable::usual_most);
  return grouping;
}

void Grouping::limit_names(std::size_t most) {
  // An interface's number is one byte of a packet, and the last one represents all others.
  constexpr std::uint32_t most_interfaces = 254;
  const auto limit = static_cast<std::uint32_t>(std::min<std::size_t>(most, NameTable::usual_most));
  ways_ = std::make_shared<NameTable>(by(By::interface) ? std::min(limit, most_interfaces) : limit);
  names_ = std::make_shared<NameTable>(limit);
}

Result<void> Grouping::add(std::string_view text) {
  const auto slash = text.find('/');
  const auto name = std::ranges::find(names, text.substr(0, slash));
  if (name == names.end())
    return failure(fmt::format("cannot group by '{}': expected {}, or several with commas between",
                               text, expected_names()));
  const By part = static_cast<By>(name - names.begin());
  for (const By other : parts_)
    if ((places_of(other) & places_of(part)) != 0 &&
        !(is_territory(other) && is_territory(part) && other != part))
      return failure(fmt::format("cannot group by '{}' and '{}' at once: both say {}",
                                 names[static_cast<std::size_t>(other)], *name,
                                 common_place(places_of(other) & places_of(part))));
  parts_.push_back(part);
  if (slash == std::string_view::npos) {
    if (part == By::prefix)
      return failure("cannot group by 'prefix': expected its length, for example prefix/24");
    return {};
  }
  if (part != By::prefix)
    return failure(fmt::format("cannot group by '{}': only prefix takes a length", text));

  auto rest = text.substr(slash);
  const auto v4 = take_length(rest, 32);
  const auto v6 = rest.empty() ? std::optional{prefix_v6_} : take_length(rest, 128);
  if (!v4 || !v6 || !rest.empty())
    return failure(fmt::format(
        "cannot group by '{}': expected prefix/N or prefix/N/M with N up to 32 for IPv4 "
        "and M up to 128 for IPv6",
        text));
  prefix_v4_ = *v4;
  prefix_v6_ = *v6;
  return {};
}

void Grouping::put(By part, const Sample& sample, GroupKey& key) const {
  switch (part) {
    case By::flow:
      key.requester = sample.requester;
      key.responder = sample.responder;
      key.requester_port = sample.requester_port;
      key.responder_port = sample.responder_port;
      break;
    case By::host:
      key.responder = sample.responder;
      break;
    case By::requester:
      key.requester = sample.requester;
      break;
    case By::prefix:
      key.responder = sample.responder.masked(
          sample.responder.version() == IpVersion::v4 ? prefix_v4_ : prefix_v6_);
      break;
    case By::port:
      key.responder_port = server_port(sample);
      break;
    case By::vlan:
      key.vlan = sample.vlan;
      break;
    case By::interface:
    case By::tunnel:
      key.way = sample.way;
      break;
    case By::dns_name:
      key.dns_name = sample.dns_name;
      break;
    case By::dns_type:
      key.dns_type = sample.dns_type;
      break;
    case By::dns_code:
      key.dns_code = sample.dns_code;
      break;
    case By::asn:
      if (places_) key.system = places_->system_of(sample.responder);
      break;
    case By::country:
      if (places_) key.country = places_->country_of(sample.responder);
      break;
  }
}

GroupKey Grouping::key_of(const Sample& sample) const {
  GroupKey key;
  for (const By part : parts_) put(part, sample, key);
  return key;
}

/// " (www.example.com)", or nothing.
std::string Grouping::name_behind(const IpAddress& host) const {
  const std::string name = host_names_ ? host_names_->name_of(host) : std::string{};
  return name.empty() ? name : " (" + name + ")";
}

std::string Grouping::label(By part, const GroupKey& key, bool with_names) const {
  const auto name_of = [&](const IpAddress& host) {
    return with_names ? name_behind(host) : std::string{};
  };
  switch (part) {
    case By::flow:
      return address_and_port(key.requester, key.requester_port) + " > " +
             address_and_port(key.responder, key.responder_port) + name_of(key.responder);
    case By::host:
      return key.responder.to_string() + name_of(key.responder);
    case By::requester:
      // Beside the responder, it must be clear which of the two it is.
      return (parts_.size() > 1 ? "from " : "") + key.requester.to_string() +
             name_of(key.requester);
    case By::prefix:
      return fmt::format("{}/{}", key.responder.to_string(),
                         key.responder.version() == IpVersion::v4 ? prefix_v4_ : prefix_v6_);
    case By::port:
      return key.responder_port == 0 ? "no port" : fmt::format("port {}", key.responder_port);
    case By::vlan:
      return key.vlan == Sample::no_vlan ? "no vlan" : fmt::format("vlan {}", key.vlan);
    case By::interface:
      return key.way == NameTable::none ? "no interface" : ways_->text_of(key.way);
    case By::tunnel:
      return key.way == NameTable::none ? "no tunnel" : ways_->text_of(key.way);
    case By::dns_name:
      return key.dns_name == NameTable::none ? "no name" : names_->text_of(key.dns_name);
    case By::dns_type:
      return key.dns_type == 0 ? "no type" : dns_type_name(key.dns_type);
    case By::dns_code:
      return key.dns_code == Sample::no_code ? "no code" : dns_code_name(key.dns_code);
    case By::asn:
      if (key.system == 0 || !places_) return "no AS";
      return with_names ? places_->name_of_system(key.system) : fmt::format("AS{}", key.system);
    case By::country:
      return key.country == 0 ? "no country"
                              : std::string{static_cast<char>(key.country >> 8),
                                            static_cast<char>(key.country & 0xff)};
  }
  return {};
}

std::string Grouping::label(const GroupKey& key, bool with_names) const {
  if (key.other) return "other";
  std::string text;
  for (const By part : parts_) text += (text.empty() ? "" : " ") + label(part, key, with_names);
  return text;
}

std::string Grouping::name(By part) const {
  const std::string_view name = names[static_cast<std::size_t>(part)];
  return part == By::prefix ? fmt::format("{}/{}/{}", name, prefix_v4_, prefix_v6_)
                            : std::string{name};
}

std::string Grouping::name() const {
  std::string text;
  for (const By part : parts_) text += (text.empty() ? "" : ",") + name(part);
  return text;
}

std::uint64_t hash_of(const GroupKey& key) {
  // A group costs memory only up to max_groups, and each sample needs two packets: a fixed key is
  // enough here.
  constexpr HashKey secret = HashKey::from_seed(0x67726f757073);
  std::array<std::uint64_t, 4> words{};
  std::memcpy(&words[0], key.requester.bytes().data(), key.requester.bytes().size());
  std::memcpy(&words[2], key.responder.bytes().data(), key.responder.bytes().size());
  const std::uint64_t small = std::uint64_t{key.requester_port} << 48 |
                              std::uint64_t{key.responder_port} << 32 |
                              std::uint64_t{key.vlan} << 16 | (key.other ? 1u : 0u);
  const std::uint64_t addresses = keyed_hash(secret, keyed_hash(secret, words[0], words[1]),
                                             keyed_hash(secret, words[2], words[3]));
  const std::uint64_t territory = std::uint64_t{key.system} << 16 | key.country;
  const std::uint64_t question =
      std::uint64_t{key.dns_name} << 24 | std::uint64_t{key.dns_type} << 8 | key.dns_code;
  const std::uint64_t marks = keyed_hash(secret, question, key.way);
  return keyed_hash(secret, territory == 0 ? addresses : keyed_hash(secret, addresses, territory),
                    small ^ marks);
}

}  // namespace sojourn
