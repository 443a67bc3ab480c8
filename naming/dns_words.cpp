#include "naming/dns_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace sojourn {
namespace {

using Word = std::pair<std::uint16_t, std::string_view>;

// IANA, "Domain Name System (DNS) Parameters": the types that clients query.
constexpr std::array types = {
    Word{1, "A"},      Word{2, "NS"},     Word{5, "CNAME"},    Word{6, "SOA"},
    Word{12, "PTR"},   Word{13, "HINFO"}, Word{15, "MX"},      Word{16, "TXT"},
    Word{17, "RP"},    Word{18, "AFSDB"}, Word{24, "SIG"},     Word{25, "KEY"},
    Word{28, "AAAA"},  Word{29, "LOC"},   Word{33, "SRV"},     Word{35, "NAPTR"},
    Word{39, "DNAME"}, Word{41, "OPT"},   Word{43, "DS"},      Word{44, "SSHFP"},
    Word{46, "RRSIG"}, Word{47, "NSEC"},  Word{48, "DNSKEY"},  Word{50, "NSEC3"},
    Word{52, "TLSA"},  Word{59, "CDS"},   Word{60, "CDNSKEY"}, Word{64, "SVCB"},
    Word{65, "HTTPS"}, Word{99, "SPF"},   Word{249, "TKEY"},   Word{250, "TSIG"},
    Word{251, "IXFR"}, Word{252, "AXFR"}, Word{255, "ANY"},    Word{256, "URI"},
    Word{257, "CAA"},
};

constexpr std::array<std::string_view, 12> codes = {"NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN",
                                                    "NOTIMP",  "REFUSED", "YXDOMAIN", "YXRRSET",
                                                    "NXRRSET", "NOTAUTH", "NOTZONE",  "DSOTYPENI"};

}  // namespace

std::string dns_type_name(std::uint16_t type) {
  const auto* const found = std::ranges::find(types, type, &Word::first);
  return found == types.end() ? fmt::format("TYPE{}", type) : std::string{found->second};
}

std::string dns_code_name(std::uint8_t code) {
  return code < codes.size() ? std::string{codes[code]} : fmt::format("RCODE{}", code);
}

}  // namespace sojourn
