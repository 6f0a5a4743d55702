// The architecture files: sizes of intrinsic headers, both targets, a user's own files first.
#include <gtest/gtest.h>

#include <algorithm>

#include "small_program.hpp"

namespace horae::p4lang::shipped_test {
namespace {

std::uint32_t width_of_variable(const Program& p, std::string_view role,
                                std::string_view variable) {
  for (const Variable& v : p.block(p.pipes[0], role)->variables) {
    if (v.role == variable) return width_of(*v.type);
  }
  return 0;
}

// TNA document, 5.2 and 5.6; Tofino 2: 32-bit times and 8 bits of padding behind.
TEST(Shipped, IntrinsicHeadersHaveTheirSizes) {
  const Program one = program_of({});
  EXPECT_EQ(width_of_variable(one, "ingress_parser", "ig_intr_md"), 64u);
  EXPECT_EQ(width_of_variable(one, "egress", "eg_intr_md"), 27u * 8);
  const Program two = compiled(whole({}), Target::tofino2);
  EXPECT_EQ(width_of_variable(two, "ingress_parser", "ig_intr_md"), 64u);
  EXPECT_EQ(width_of_variable(two, "egress", "eg_intr_md"), 28u * 8);
}

TEST(Shipped, TheTargetChoosesWidths) {
  const Parts parts{.apply = "tm.qid = 100; dm.mirror_type = 9;"};
  EXPECT_EQ(compiled(whole(parts), Target::tofino2).warnings.size(), 0u);
  EXPECT_EQ(compiled(whole(parts), Target::tofino).warnings.size(), 2u);
}

TEST(Shipped, ThatOfTofino2IsForTofino2) {
  std::string text = whole({});
  text.replace(text.find("tna.p4"), 6, "t2na.p4");
  EXPECT_EQ(compiled(text, Target::tofino2).architecture, "t2na");
  try {
    compiled(text);
    FAIL();
  } catch (const ProgramError& e) {
    EXPECT_EQ(std::string(e.what()).substr(0, 11), "<t2na.p4>:6");
  }
}

TEST(Shipped, AUsersIncludeFolderWins) {
  auto options = memory_options({{"a.p4", "#include <tna.p4>\n"}, {"inc/tna.p4", "#error mine\n"}});
  options.include_folders = {"inc"};
  try {
    compile("a.p4", options);
    FAIL();
  } catch (const ProgramError& e) {
    EXPECT_EQ(std::string(e.what()), "inc/tna.p4:1:2: #error mine");
  }
}

TEST(Shipped, ErrorsHaveTheirOrdinals) {
  const Program p = program_of({});
  ASSERT_GE(p.errors.size(), 8u);
  EXPECT_EQ(p.errors[0], "NoError");
  EXPECT_EQ(p.errors[2], "NoMatch");
}

}  // namespace
}  // namespace horae::p4lang::shipped_test
