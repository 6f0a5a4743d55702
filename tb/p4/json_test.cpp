// JSON with places: what messages point at.
#include "horae/p4/json.hpp"

#include <gtest/gtest.h>

#include <string>

#include "refusal.hpp"

namespace horae::p4::json_test {
namespace {

using test::refusal_of;

constexpr const char* text = R"({
  "name": "a \"quoted\" text",
  "list": [1, 2.5, {"deep": true}],
  "none": null
})";

TEST(Json, KnowsWhereItsValuesStand) {
  const Json json = Json::parse(text, "f.json");
  EXPECT_EQ(json.where().text(), "f.json:1:1");
  EXPECT_EQ(json.at("name").where().text(), "f.json:2:11");
  EXPECT_EQ(json.at("name").text(), "a \"quoted\" text");
  const auto& list = json.at("list").list();
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].where().text(), "f.json:3:12");
  EXPECT_EQ(list[1].where().text(), "f.json:3:15");
  EXPECT_EQ(list[2].where().text(), "f.json:3:20");
  EXPECT_EQ(list[2].at("deep").where().text(), "f.json:3:29");
  EXPECT_TRUE(list[2].at("deep").flag());
}

TEST(Json, MissingKeysNameTheNearest) {
  const Json json = Json::parse(text, "f.json");
  EXPECT_EQ(refusal_of([&] { json.at("nam"); }),
            "f.json:1:1: expected a key 'nam', did you mean 'name'?");
  EXPECT_EQ(json.find("nam"), nullptr);
  EXPECT_TRUE(json.list_at("nothing").empty());
  EXPECT_TRUE(json.list_at("none").empty());
  EXPECT_EQ(json.text_at("nothing", "else"), "else");
}

TEST(Json, OtherKindsAreRefused) {
  const Json json = Json::parse(text, "f.json");
  EXPECT_EQ(refusal_of([&] { json.at("name").list(); }),
            "f.json:2:11: found text \"a \"quoted\" text\", expected a list");
  EXPECT_EQ(refusal_of([&] { json.at("list").list()[1].whole(0, 9); }),
            "f.json:3:15: found 2.5, expected a whole number from 0 to 9");
  EXPECT_EQ(refusal_of([&] { json.at("list").list()[0].whole(2, 9); }),
            "f.json:3:12: found 1, expected a whole number from 2 to 9");
  EXPECT_EQ(json.at("list").list()[0].whole(0, 9), 1);
}

TEST(Json, DamageIsOneLineWithItsPlace) {
  EXPECT_EQ(refusal_of([] { Json::parse("{\n \"a\": x}", "f.json"); }),
            "f.json:2:7: no JSON at '\"a\": x'");
  EXPECT_EQ(refusal_of([] { Json::parse("{\"a\": [1, 2", "f.json"); }),
            "f.json:1:12: the file ends in the middle of a value");
  EXPECT_EQ(refusal_of([] { Json::parse("", "f.json"); }),
            "f.json:1:1: the file ends in the middle of a value");
  EXPECT_EQ(refusal_of([] { Json::parse(std::string(200, '['), "f.json"); }),
            "f.json:1:101: nests deeper than 100");
}

TEST(Json, FilesThatCannotBeRead) {
  EXPECT_EQ(refusal_of([] { Json::load("nowhere.json"); }),
            "nowhere.json: cannot read: No such file or directory");
  EXPECT_EQ(refusal_of([] { Json::load("/"); }), "/: cannot read: is a directory");
}

}  // namespace
}  // namespace horae::p4::json_test
