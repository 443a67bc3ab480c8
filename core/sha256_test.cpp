#include "core/sha256.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace sojourn {
namespace {

std::string hex_of(const std::string& text) {
  std::string hex;
  for (const std::uint8_t byte : sha256(std::as_bytes(std::span{text})))
    hex += fmt::format("{:02x}", byte);
  return hex;
}

/// The examples of NIST's Secure Hashing page; those for lengths around a block are from coreutils.
TEST(Sha256, GivesTheKnownDigests) {
  EXPECT_EQ(hex_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex_of(std::string(64, 'a')),
            "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

}  // namespace
}  // namespace sojourn
