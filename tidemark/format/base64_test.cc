// SPDX-License-Identifier: Apache-2.0
#include "tidemark/format/base64.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

// RFC 4648, section 10.
TEST(Base64, VectorsOfTheStandard) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    std::string encoded;
    append_base64(encoded, bytes);
    EXPECT_EQ(encoded, text);
    std::string decoded;
    EXPECT_TRUE(decode_base64(text, decoded));
    EXPECT_EQ(decoded, bytes);
  }
}

TEST(Base64, AllBytes) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  std::string text;
  append_base64(text, bytes);
  std::string back;
  EXPECT_TRUE(decode_base64(text, back));
  EXPECT_EQ(back, bytes);
}

TEST(Base64, PaddingMayBeMissingAndGarbageIsRefused) {
  std::string out;
  EXPECT_TRUE(decode_base64("Zm8", out));
  EXPECT_EQ(out, "fo");
  for (const char* text : {"Z", "Zm9vY", "Zm=v", "Z===", "Zm 8", "Zm8-"}) {
    std::string ignored;
    EXPECT_FALSE(decode_base64(text, ignored)) << text;
  }
}

}  // namespace
}  // namespace tidemark
