// Registries: what can be added, and until when.
#include "horae/core/registry.hpp"

#include <gtest/gtest.h>

#include "horae/core/error.hpp"

namespace horae::test::registry_test {
namespace {

struct Entry {
  std::string_view name;
};

std::string refusal(Registry<Entry>& registry, std::string_view name) {
  try {
    registry.add({name});
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Registry, TakesEachNameOnceAndNothingOnceItIsRead) {
  Registry<Entry> registry("load balancer", {{"ecmp"}});
  EXPECT_EQ(refusal(registry, "ecmp"), "load balancer 'ecmp' is there already");
  EXPECT_EQ(refusal(registry, "mine"), "");
  EXPECT_EQ(refusal(registry, "mine"), "load balancer 'mine' is there already");
  ASSERT_EQ(registry.all().size(), 2u);
  EXPECT_EQ(registry.all().back().name, "mine");
  EXPECT_EQ(refusal(registry, "late"),
            "load balancer 'late' comes too late: what there is was read before");
  EXPECT_EQ(registry.all().size(), 2u);
}

}  // namespace
}  // namespace horae::test::registry_test
