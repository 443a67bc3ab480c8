#pragma once
// Certificates for tests, made by certtool.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "ipfix/transport/endpoint.h"

namespace sojourn::ipfix {

/// An authority, a collector's and a point's certificate, one of a stranger's authority, and one
/// that the point signed, which is no authority.
class TlsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v certtool >/dev/null") != 0) GTEST_SKIP() << "no certtool";
    std::string name = (std::filesystem::temp_directory_path() / "tls.XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    const std::string make =
        "cd " + folder_ +
        " && exec >/dev/null 2>&1 && for ca in ours other; do certtool -p --ecc --outfile $ca.key; "
        "printf 'cn = %s\\nca\\ncert_signing_key\\nexpiration_days = 2\\n' $ca > ca.info; certtool "
        "-s "
        "--load-privkey $ca.key --template ca.info --outfile $ca.pem; done; "
        "for who in collector point stranger forger; do ca=ours; [ $who = stranger ] && ca=other; "
        "[ $who = forger ] && ca=point; "
        "certtool -p --ecc --outfile $who.key; printf 'cn = %s\\ndns_name = "
        "localhost\\nip_address = 127.0.0.1\\ntls_www_server\\ntls_www_client\\nsigning_key\\n"
        "expiration_days = 2\\n' $who > c.info; certtool -c --load-privkey $who.key "
        "--load-ca-certificate $ca.pem --load-ca-privkey $ca.key --template c.info --outfile "
        "$who.pem; done; test -s stranger.pem && test -s forger.pem && cat point.pem >> forger.pem";
    ASSERT_EQ(std::system(make.c_str()), 0);
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  TlsFiles files(const std::string& who, const std::string& authority = "ours") const {
    return {folder_ + "/" + who + ".pem", folder_ + "/" + who + ".key",
            folder_ + "/" + authority + ".pem"};
  }

  std::string folder_;
};

}  // namespace sojourn::ipfix
