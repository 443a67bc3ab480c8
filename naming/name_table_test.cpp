#include "naming/name_table.h"

#include <arpa/nameser.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "naming/dns_words.h"

namespace sojourn {
namespace {

TEST(NameTable, GivesEachTextANumberOfItsOwn) {
  NameTable table;
  const std::uint32_t eth0 = table.number_of("eth0"), eth1 = table.number_of("eth1");
  EXPECT_NE(eth0, eth1);
  EXPECT_NE(eth0, NameTable::none);
  EXPECT_EQ(table.number_of("eth0"), eth0);
  EXPECT_EQ(table.text_of(eth0), "eth0");
  EXPECT_EQ(table.text_of(eth1), "eth1");
  EXPECT_EQ(table.text_of(NameTable::none), "");
}

TEST(NameTable, IsBoundedInNumberAndLength) {
  NameTable table{2};
  const std::uint32_t first = table.number_of("a");
  table.number_of("b");
  const std::uint32_t third = table.number_of("c"), fourth = table.number_of("d");
  EXPECT_EQ(third, 3u);
  EXPECT_EQ(fourth, third) << "all without room together";
  EXPECT_EQ(table.text_of(third), "others");
  EXPECT_EQ(table.without_room(), 2u);
  EXPECT_EQ(table.size(), 2u);
  EXPECT_EQ(table.number_of("a"), first);

  NameTable names;
  const std::uint32_t number = names.number_of(std::string(100'000, 'x'));
  EXPECT_EQ(names.number_of(std::string(255, 'x')), number) << "not kept whole";
  EXPECT_LE(names.text_of(number).size(), 80u);
}

TEST(NameTable, ShowsNothingThatATerminalObeys) {
  NameTable table;
  EXPECT_EQ(table.text_of(table.number_of("\x1b[31mred\n")), "\\x1b[31mred\\x0a");
}

TEST(DnsWords, AreThoseOfDig) {
  EXPECT_EQ(dns_type_name(1), "A");
  EXPECT_EQ(dns_type_name(65), "HTTPS");
  EXPECT_EQ(dns_type_name(65'280), "TYPE65280");
  // The numbers that the C library has.
  const std::pair<int, const char*> known[] = {
      {ns_t_ns, "NS"},         {ns_t_cname, "CNAME"},     {ns_t_soa, "SOA"},
      {ns_t_ptr, "PTR"},       {ns_t_hinfo, "HINFO"},     {ns_t_mx, "MX"},
      {ns_t_txt, "TXT"},       {ns_t_rp, "RP"},           {ns_t_afsdb, "AFSDB"},
      {ns_t_sig, "SIG"},       {ns_t_key, "KEY"},         {ns_t_aaaa, "AAAA"},
      {ns_t_loc, "LOC"},       {ns_t_srv, "SRV"},         {ns_t_naptr, "NAPTR"},
      {ns_t_dname, "DNAME"},   {ns_t_opt, "OPT"},         {ns_t_ds, "DS"},
      {ns_t_sshfp, "SSHFP"},   {ns_t_rrsig, "RRSIG"},     {ns_t_nsec, "NSEC"},
      {ns_t_dnskey, "DNSKEY"}, {ns_t_nsec3, "NSEC3"},     {ns_t_tlsa, "TLSA"},
      {ns_t_cds, "CDS"},       {ns_t_cdnskey, "CDNSKEY"}, {ns_t_spf, "SPF"},
      {ns_t_tkey, "TKEY"},     {ns_t_tsig, "TSIG"},       {ns_t_ixfr, "IXFR"},
      {ns_t_axfr, "AXFR"},     {ns_t_any, "ANY"},         {ns_t_uri, "URI"},
      {ns_t_caa, "CAA"}};
  for (const auto& [number, name] : known)
    EXPECT_EQ(dns_type_name(static_cast<std::uint16_t>(number)), name);
  EXPECT_EQ(dns_code_name(0), "NOERROR");
  EXPECT_EQ(dns_code_name(5), "REFUSED");
  EXPECT_EQ(dns_code_name(15), "RCODE15");
}

}  // namespace
}  // namespace sojourn
