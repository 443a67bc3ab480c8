#include "store/clickhouse/address.h"

#include <algorithm>
#include <cctype>

namespace sojourn::clickhouse {
namespace {

bool is_name(std::string_view text) {
  const auto fits = [](unsigned char byte) { return std::isalnum(byte) != 0 || byte == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::ranges::all_of(text, fits);
}

}  // namespace

Result<Address> Address::parse(std::string_view text) {
  const auto wrong = [whole = std::string{text}](const std::string& why) {
    return failure("'" + whole + "' is not clickhouse://HOST[,HOST...]/DATABASE: " + why);
  };
  if (!text.starts_with(scheme)) return wrong("it begins otherwise");
  text.remove_prefix(scheme.size());
  Address address;
  const auto slash = text.find('/');
  if (slash == std::string_view::npos || !is_name(text.substr(slash + 1)))
    return wrong("the database must be a name of letters, digits and '_'");
  address.database = text.substr(slash + 1);
  text = text.substr(0, slash);
  if (const auto at = text.find('@'); at != std::string_view::npos) {
    address.user = text.substr(0, at);
    if (address.user.find(':') != std::string::npos)
      return wrong("a password is read from CLICKHOUSE_PASSWORD, where others do not see it");
    text.remove_prefix(at + 1);
  }
  for (const std::string_view part : split_at_commas(text)) {
    auto host = HostPort::parse(part, HostPort::Use::connect, usual_port);
    if (!host) return wrong(host.error().message);
    if (std::ranges::find(address.shards, *host) != address.shards.end())
      return wrong("the same host twice");
    address.shards.push_back(std::move(*host));
  }
  return address;
}

}  // namespace sojourn::clickhouse
