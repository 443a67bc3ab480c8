#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "wire/headers/dns_addresses.h"
#include "wire/headers/tls_server_name.h"

namespace sojourn {
namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  std::vector<std::byte> bytes;
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}
template <std::size_t size>
std::string raw(const char (&text)[size]) {
  return {text, size - 1};
}

std::string addresses_in(const std::string& message) {
  std::string found;
  read_dns_addresses(bytes_of(message), [&](std::string_view name, const IpAddress& host) {
    found += std::string{name} + "=" + host.to_string() + " ";
  });
  return found;
}

const std::string question = raw("\3WWW\7example\0\0\1\0\1");
const std::string header = raw("\0\7\x81\x80\0\1\0\3\0\0\0\0");
// www.example is an alias of a.b.example, which has two addresses.
const std::string alias = raw("\xc0\x0c\0\5\0\1\0\0\0\x3c\0\6\1a\1b\xc0\x10");
const std::string ipv4 = raw("\xc0\x29\0\1\0\1\0\0\0\x3c\0\4\xc0\0\2\1");
const std::string ipv6 =
    raw("\xc0\x29\0\x1c\0\1\0\0\0\x3c\0\x10\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1");

TEST(DnsAddresses, AreThoseOfTheNameAskedFor) {
  EXPECT_EQ(addresses_in(header + question + alias + ipv4 + ipv6),
            "www.example=192.0.2.1 www.example=2001:db8::1 ");
}

TEST(DnsAddresses, AreReadAsFarAsTheyGo) {
  const std::string whole = header + question + alias + ipv4 + ipv6;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string found = addresses_in(whole.substr(0, size));
    EXPECT_EQ(found, size < whole.size() - ipv6.size() ? "" : "www.example=192.0.2.1 ") << size;
  }
}

TEST(DnsNames, PointBackwardsOnly) {
  std::size_t at = 0;
  EXPECT_EQ(read_dns_name(bytes_of(raw("\xc0\x00")), at), std::nullopt) << "at itself";
  at = 2;
  EXPECT_EQ(read_dns_name(bytes_of(raw("\1a\xc0\x00")), at), std::nullopt) << "never ends";
  at = 0;
  EXPECT_EQ(read_dns_name(bytes_of(raw("\3a.b\0")), at), "a\\.b");
  EXPECT_EQ(at, 5u);
}

std::string client_hello(const std::string& extensions) {
  const auto length = [](std::size_t size) {
    return std::string{static_cast<char>(size >> 8), static_cast<char>(size)};
  };
  const std::string body = raw("\3\3") + std::string(32, 'r') + raw("\0\0\2\x13\1\1\0") +
                           length(extensions.size()) + extensions;
  return raw("\x16\3\1") + length(body.size() + 4) + raw("\1\0") + length(body.size()) + body;
}
const std::string other = raw("\0\x2b\0\3\2\3\4");
const std::string server_name = raw("\0\0\0\x10\0\x0e\0\0\x0bWWW.example");

TEST(TlsServerName, IsFoundAmongExtensions) {
  EXPECT_EQ(find_server_name(bytes_of(client_hello(other + server_name + other))), "www.example");
  EXPECT_EQ(find_server_name(bytes_of(client_hello(other))), std::nullopt);
  const std::string whole = client_hello(other + server_name);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(find_server_name(bytes_of(whole.substr(0, size))), std::nullopt) << size;
}

}  // namespace
}  // namespace sojourn
