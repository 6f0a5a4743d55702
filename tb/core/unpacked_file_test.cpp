#include "horae/core/unpacked_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <istream>
#include <string>
#include <thread>
#include <vector>

#include "capture_bytes.hpp"
#include "horae/core/error.hpp"
#include "packed_bytes.hpp"

namespace horae::unpacked_file_test {
namespace {

using testing::ByteString;
using testing::gzip_of;
using testing::TemporaryFile;
using testing::zstd_of;

/// Some 300 KB that do not pack well, and so need more than one buffer.
ByteString sample() {
  ByteString bytes;
  std::uint32_t state = 1;
  for (int i = 0; i < 300'000; ++i) {
    state = state * 1'664'525 + 1'013'904'223;
    bytes.push_back(static_cast<std::uint8_t>(state >> 24));
  }
  return bytes;
}

struct Unpacked {
  ByteString bytes;
  std::string problem;
};

Unpacked unpacked(const std::string& path, std::size_t at_a_time = 1000) {
  UnpackedFile file(path);
  Unpacked out;
  std::vector<char> room(at_a_time);
  while (const std::size_t n = file.read(room)) {
    const auto middle = room.begin() + static_cast<std::ptrdiff_t>(n);
    out.bytes.insert(out.bytes.end(), room.begin(), middle);
  }
  out.problem = file.problem();
  return out;
}

TEST(UnpackedFile, GivesWhatWasPacked) {
  const ByteString bytes = sample();
  for (const auto& [name, packed] : {std::pair{"", bytes}, std::pair{"gzip", gzip_of(bytes)},
                                     std::pair{"zstd", zstd_of(bytes)}}) {
    const TemporaryFile file("packed", packed);
    for (const std::size_t room : {1u, 777u, 1u << 20}) {
      const Unpacked out = unpacked(file.path(), room);
      EXPECT_EQ(out.bytes == bytes, true) << name << " " << room;
      EXPECT_EQ(out.problem, "");
    }
    UnpackedFile open(file.path());
    EXPECT_EQ(open.packing(), name);
    EXPECT_EQ(open.share(), 0);
    std::vector<char> room(bytes.size());
    while (open.read(room) > 0) continue;
    EXPECT_EQ(open.share(), 1);
  }
}

TEST(UnpackedFile, NothingIsReadOfAnEmptyFile) {
  const TemporaryFile file("empty", {});
  UnpackedFile open(file.path());
  std::vector<char> room(1);
  EXPECT_EQ(open.read(room), 0u);
  EXPECT_EQ(open.share(), 0);
}

TEST(UnpackedFile, PartsBehindEachOtherAreOneFile) {
  for (const auto& pack : {&gzip_of, &zstd_of}) {
    ByteString packed = pack({1, 2});
    for (const ByteString& part : {ByteString{}, ByteString{3}}) {
      const ByteString more = pack(part);
      packed.insert(packed.end(), more.begin(), more.end());
    }
    const TemporaryFile file("parts", packed);
    EXPECT_EQ(unpacked(file.path()).bytes, (ByteString{1, 2, 3}));
  }
}

TEST(UnpackedFile, SaysWhereItEndsTooEarlyWhateverByteThatIs) {
  ByteString bytes = sample();
  bytes.resize(600);
  for (const auto& pack : {&gzip_of, &zstd_of}) {
    const ByteString packed = pack(bytes);
    for (std::size_t cut = 4; cut < packed.size(); ++cut) {
      const TemporaryFile file("cut", {packed.begin(), packed.begin() + std::ptrdiff_t(cut)});
      const Unpacked out = unpacked(file.path());
      EXPECT_EQ(out.problem.substr(4), ": the file ends in the middle of its data") << cut;
      EXPECT_TRUE(out.bytes.size() <= bytes.size() &&
                  std::equal(out.bytes.begin(), out.bytes.end(), bytes.begin()));
    }
  }
}

TEST(UnpackedFile, SaysWhatIsDamaged) {
  const ByteString bytes = sample();
  for (const auto& pack : {&gzip_of, &zstd_of}) {
    ByteString packed = pack(bytes);
    packed[packed.size() - 6] ^= 1;  // the check of what was packed, or the last of it
    const TemporaryFile changed("changed", packed);
    const Unpacked out = unpacked(changed.path());
    if (pack == &gzip_of) {
      EXPECT_EQ(out.problem, "gzip: incorrect data check");
    }
    packed = pack(bytes);
    packed.insert(packed.end(), {9, 9, 9, 9, 9});
    const TemporaryFile longer("longer", packed);
    EXPECT_NE(unpacked(longer.path()).problem, "");
  }
}

TEST(UnpackedFile, ReadsPipes) {
  const ByteString bytes = sample(), packed = gzip_of(bytes);
  const TemporaryFile name("fifo");
  std::filesystem::remove(name.path());
  ASSERT_EQ(::mkfifo(name.path().c_str(), 0600), 0);
  std::thread writer([&] {
    std::ofstream(name.path(), std::ios::binary)
        .write(reinterpret_cast<const char*>(packed.data()), std::ptrdiff_t(packed.size()));
  });
  EXPECT_EQ(unpacked(name.path()).bytes == bytes, true);
  writer.join();
}

TEST(UnpackedFile, IsARefusalOfOneLine) {
  try {
    UnpackedFile file("/nonexistent/x");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "/nonexistent/x: cannot be read: No such file or directory");
  }
  UnpackedFile folder("/");
  std::vector<char> room(9);
  EXPECT_EQ(folder.read(room), 0u);
  EXPECT_EQ(folder.problem(), "Is a directory");
}

TEST(UnpackedBuffer, IsAStreamOfLines) {
  const TemporaryFile good("lines.gz", gzip_of({'a', '\n', 'b'}));
  UnpackedBuffer buffer(good.path());
  std::istream in(&buffer);
  std::string line;
  ASSERT_TRUE(std::getline(in, line));
  EXPECT_EQ(line, "a");
  ASSERT_TRUE(std::getline(in, line));
  EXPECT_EQ(line, "b");
  EXPECT_FALSE(std::getline(in, line));

  ByteString cut = gzip_of({'a', '\n', 'b'});
  cut.resize(cut.size() - 1);
  const TemporaryFile bad("cut.gz", cut);
  UnpackedBuffer cut_buffer(bad.path());
  std::istream cut_in(&cut_buffer);
  cut_in.exceptions(std::ios::badbit);
  try {
    while (std::getline(cut_in, line)) continue;
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(e.what(),
              bad.path() + ": cannot be read: gzip: the file ends in the middle of its data");
  }
}

}  // namespace
}  // namespace horae::unpacked_file_test
