#include "export/kernel_refusal.h"

#include <gtest/gtest.h>

#include <set>

namespace sojourn {
namespace {

using enum KernelRefusal::What;

TEST(KernelRefusal, NamesWhatItIsAbout) {
  EXPECT_EQ(sentence_of({not_built, "clang is missing"}),
            "this binary was built without the kernel engine: clang is missing");
  EXPECT_EQ(sentence_of({table, "exact"}),
            "--table exact is not in the kernel, whose tables are fridge and fridges");
  EXPECT_EQ(sentence_of({grouping, "vlan"}),
            "--by vlan is not in the kernel: its samples do not say it");
  EXPECT_EQ(sentence_of({conversation, "tls"}),
            "kind tls is not in the kernel: it follows every conversation");
  EXPECT_EQ(sentence_of({histograms, {}, 17}),
            "--kernel-output histograms of these kinds needs --memory 17MiB or more, or fewer "
            "kinds");
}

TEST(KernelRefusal, HasASentenceForEach) {
  std::set<std::string> sentences;
  for (int what = 0; what <= static_cast<int>(histograms); ++what)
    sentences.insert(sentence_of({static_cast<KernelRefusal::What>(what), "x"}));
  EXPECT_EQ(sentences.size(), static_cast<std::size_t>(histograms) + 1);
  EXPECT_FALSE(sentences.contains(""));
}

TEST(KernelRefusal, OfAPointSaysWhoHasIt) {
  EXPECT_EQ(only_in_socket("--filter"), "--filter is not in the kernel (--engine socket has it)");
}

}  // namespace
}  // namespace sojourn
