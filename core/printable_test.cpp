#include "core/printable.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

TEST(Printable, LeavesOrdinaryNamesAlone) {
  for (const char* text :
       {"", "web.pcap", "/var/log/größe 20 µs.pcapng", "日本.pcap", "a\\b'\"<&>"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, ShowsControlCharactersInsteadOfObeyingThem) {
  EXPECT_EQ(printable("a\033[2Jb\nc\td\x7f"), "a\\x1b[2Jb\\x0ac\\x09d\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m");                          // CSI as one character
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\u202e");  // writes from right to left
  EXPECT_EQ(printable(std::string_view{"\0", 1}), "\\x00");
}

TEST(Printable, ShowsBytesThatAreNoUtf8) {
  EXPECT_EQ(printable("\xff.pcap"), "\\xff.pcap");
  EXPECT_EQ(printable("caf\xe9"), "caf\\xe9");                       // Latin-1
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                    // not the shortest form
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // above U+10FFFF
  EXPECT_EQ(printable("\xef\xbf\xbf"), "\\uffff");                   // XML does not allow it
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");                    // cut
}

TEST(Printable, KeepsBothEndsOfALongText) {
  EXPECT_EQ(printable("0123456789abcdefghij", 20), "0123456789abcdefghij");
  EXPECT_EQ(printable("0123456789abcdefghijk", 18), "0123456789...ghijk");
  EXPECT_EQ(printable("\033\033\033\033\033\033", 13), "\\x1b...\\x1b");  // never cut in between
  const std::string field(10'000'000, 'x');
  EXPECT_EQ(printable(field).size(), 200u);
  std::string umlauts;
  for (int i = 0; i < 1'000'000; ++i) umlauts += "ü";
  EXPECT_EQ(printable(umlauts, 23).size(), 2u * 20 + 3);
}

}  // namespace
}  // namespace sojourn
