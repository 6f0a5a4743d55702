// Documents: their syntax, files that cannot be read, and any text at all.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "example.hpp"
#include "horae/core/random.hpp"

namespace horae::document_test {
namespace {

using namespace params_example;

TEST(Params, SyntaxErrorsAreOneLineWithTheirPlace) {
  EXPECT_EQ(refusal("seed = 1\nseed = 2\n"),
            "x.toml:2:8: Error while parsing key-value pair: cannot redefine existing integer "
            "'seed'");
  EXPECT_EQ(refusal("a = \n").substr(0, 12), "x.toml:1:5: ");
  EXPECT_EQ(refusal("[a\n").substr(0, 12), "x.toml:1:3: ");
  EXPECT_EQ(refusal("\xff").substr(0, 12), "x.toml:1:1: ");
  EXPECT_EQ(refusal("a = \n").find('\n'), std::string::npos);
}

TEST(Params, EndlessKeysAreRefusedBeforeTheyEndTheStack) {
  std::string key = "a";
  for (int i = 0; i < 300'000; ++i) key += ".a";
  EXPECT_EQ(refusal(key + " = 1"), "x.toml:1:1: more than 1000 dots in a row");
  EXPECT_EQ(refusal("", {"extra={" + key + " = 1}"}), "--set extra: nested deeper than 200");
  std::string deep = "a";
  for (int i = 0; i < 300; ++i) deep += ".a";
  EXPECT_NE(refusal("[extra]\n" + deep + " = 1").find("nested deeper than 200"), std::string::npos);
  EXPECT_EQ(refusal("", {"extra=" + std::string(300, '[')}),
            "--set extra: extra: expected a table [extra], found text \"" + std::string(60, '[') +
                "...\"");
  // Long lines without a long key are fine.
  std::string numbers = "[extra]\nn = [0.5";
  for (int i = 0; i < 2000; ++i) numbers += ", 0.5";
  EXPECT_EQ(refusal(numbers + "]\ns = \"" + std::string(2000, '.') + "\"\n"), "accepted");
}

TEST(Params, FilesThatCannotBeRead) {
  const auto refused = [](const std::string& path, const Overrides& overrides = {}) {
    try {
      (void)Document::load(path, overrides);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  const auto folder = std::filesystem::temp_directory_path() /
                      fmt::format("horae_params_{}", std::random_device{}());
  std::filesystem::create_directory(folder);
  const std::string file = (folder / "p.toml").string();
  EXPECT_EQ(refused(file), file + ": cannot read: No such file or directory");
  EXPECT_EQ(refused(folder.string()), folder.string() + ": cannot read: is a directory");
  EXPECT_EQ(refused(file + "/x"), file + "/x: cannot read: No such file or directory");
  EXPECT_EQ(refused(""), ": cannot read: No such file or directory");
  std::ofstream(file) << "seed = 5\nx = = 1\n";
  EXPECT_EQ(refused(file).substr(0, file.size() + 6), file + ":2:5: ");
  EXPECT_EQ(refused(file + "/x"), file + "/x: cannot read: Not a directory");
  std::ofstream(file) << "seed = 5\n";
  EXPECT_EQ(refused(file), "accepted");
  EXPECT_EQ(Document::load(file, {"ttl=3"}).root().read<PlatformConfig>().seed, 5);
  EXPECT_EQ(refused(file, {"ttl"}), "--set 'ttl': expected KEY=VALUE");
  std::filesystem::remove_all(folder);
}

// Whatever the text and the overrides: a configuration or an InputError of one line.
TEST(Params, MutatedDocumentsAreReadOrRefused) {
  RandomStream stream(1, "params.fuzz");
  const std::string pieces[] = {"[",
                                "]",
                                "[[",
                                "]]",
                                "=",
                                ".",
                                "\"",
                                "'",
                                "'''",
                                "\n",
                                "{",
                                "}",
                                ",",
                                "#",
                                "\\",
                                "\\u00e9",
                                "\xff",
                                std::string(1, '\0'),
                                "nan",
                                "-",
                                "1e999",
                                "9223372036854775808",
                                "0x",
                                "true",
                                "1979-05-27",
                                "[link]",
                                "[[link]]",
                                "link",
                                "rate",
                                " Gbps",
                                "\xef\xbb\xbf",
                                "\r",
                                "\t"};
  const Overrides keys{
      "link[0].delay=", "seed=", "extra.x.y[0]=", "title=", "hosts[1]=", "link[1]="};
  const auto mutate = [&](std::string text) {
    for (auto n = 1 + stream.below(4); n > 0; --n) {
      const auto at = stream.below(static_cast<std::uint32_t>(text.size() + 1));
      const auto length = stream.below(8);
      switch (stream.below(4)) {
        case 0:
          text.erase(at, length);
          break;
        case 1:
          text.insert(at, pieces[stream.below(std::size(pieces))]);
          break;
        case 2:
          text.insert(at, text.substr(text.size() / 2, length * 4));
          break;
        default:
          if (at < text.size()) text[at] = static_cast<char>(stream.below(256));
      }
    }
    return text;
  };
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto text = mutate(std::string(full));
    Overrides overrides;
    if (i % 3 == 0) {
      const auto& key = keys[stream.below(static_cast<std::uint32_t>(keys.size()))];
      overrides.push_back(mutate(key + "1 us"));
    }
    try {
      const auto config = read(text, overrides);
      (void)PlatformConfig::schema().dump(config).dump(-1, ' ', false,
                                                       nlohmann::json::error_handler_t::replace);
      ++accepted;
    } catch (const InputError& e) {
      const std::string_view what = e.what();
      ASSERT_EQ(what.find('\n'), std::string_view::npos) << what;
      ASSERT_TRUE(what.starts_with("x.toml") || what.starts_with("--set")) << what;
      ++refused;
    } catch (const std::exception& e) {
      FAIL() << e.what() << "\n" << text << "\n" << (overrides.empty() ? "" : overrides[0]);
    }
  }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(refused, 5000);
}

}  // namespace
}  // namespace horae::document_test
