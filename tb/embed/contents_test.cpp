// Bytes of host memory through what works on bytes: chips with P4 programs, blocks with AXI4-Stream
// pins.
#include "contents.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forked.hpp"
#include "horae/core/codec.hpp"
#include "horae/core/stats.hpp"
#include "horae/embed/platform.hpp"
#include "horae/fabric/plugin.hpp"

namespace horae::contents_test {
namespace {

/// A block that keeps whole frames, changes them, and sends them on, 32 bytes a beat.
class frame_block : public StreamPins {
 public:
  static constexpr std::size_t width = 32;
  using Edit = std::function<void(std::vector<std::uint8_t>& frame)>;
  explicit frame_block(Edit edit) : edit_(std::move(edit)) {}

  void read(StreamOutputs& out) const override {
    out.ready = true;
    out.valid = !beats_.empty();
    if (out.valid) out.beat = beats_.front();
  }
  void clock(const StreamInputs& next) override {
    if (!in_.reset) {
      if (!beats_.empty() && in_.ready) beats_.pop_front();
      if (in_.valid) take(in_.beat);
    }
    in_ = next;
  }

 private:
  void take(const StreamBeat& beat) {
    for (std::size_t i = 0; i < width && (beat.keep[i / 8] >> i % 8 & 1) != 0; ++i)
      frame_.push_back(beat.data[i]);
    if (!beat.last) return;
    edit_(frame_);
    for (std::size_t at = 0; at < frame_.size(); at += width) {
      StreamBeat b;
      b.data.assign(width, 0);
      b.keep.assign(width / 8, 0);
      const std::size_t n = std::min(width, frame_.size() - at);
      for (std::size_t i = 0; i < n; ++i) {
        b.data[i] = frame_[at + i];
        b.keep[i / 8] = static_cast<std::uint8_t>(b.keep[i / 8] | 1u << i % 8);
      }
      b.last = at + n == frame_.size();
      beats_.push_back(std::move(b));
    }
    frame_.clear();
  }
  Edit edit_;
  StreamInputs in_;
  std::vector<std::uint8_t> frame_;
  std::deque<StreamBeat> beats_;
};

constexpr std::size_t ip = 14, opcode = 42, behind_bth = 54;  // byte offsets

/// The first byte of payload of a WRITE, or null.
std::uint8_t* payload_of(std::vector<std::uint8_t>& frame) {
  const auto o = static_cast<Opcode>(frame[opcode]);
  if (!is_write(o)) return nullptr;
  return frame.data() + behind_bth + (has_reth(o) ? wire::reth : 0);
}
/// The ICRC that follows from a change, least significant byte first.
void mend_icrc(std::vector<std::uint8_t>& frame) {
  const std::uint32_t crc = icrc({frame.data() + ip, frame.size() - ip - 4});
  for (std::size_t i = 0; i < 4; ++i)
    frame[frame.size() - 4 + i] = static_cast<std::uint8_t>(crc >> 8 * i);
}

void add_block(const std::string& name, const std::function<frame_block::Edit()>& edit) {
  fabric::add_stream_block({name, frame_block::width, frame_block::width,
                            [edit](const char* /*name*/, Picoseconds /*period*/) {
                              return std::make_unique<frame_block>(edit());
                            }});
}

const bool blocks_added = [] {
  add_block("passes", [] { return [](std::vector<std::uint8_t>&) {}; });
  add_block("stamps", [] {
    return [](std::vector<std::uint8_t>& frame) {
      if (auto* byte = payload_of(frame)) {
        *byte ^= 0xff;
        mend_icrc(frame);
      }
    };
  });
  add_block("spoils", [] {
    return [n = 0](std::vector<std::uint8_t>& frame) mutable {
      if (auto* byte = payload_of(frame); byte != nullptr && ++n % 20 == 0) *byte ^= 0xff;
    };
  });
  return true;
}();

const std::filesystem::path p4_folder = HORAE_PLATFORM_DIR "/p4";

/// Two leaves that run `program`, two spines, one with loss. `more`: tables behind.
std::string platform(const std::string& program, const std::string& more = {}) {
  return fmt::format(R"([platform]
name = "contents"
[sim]
duration = "20 ms"
stop = "finished"
[nic]
kind = "rnic"
host = "pcie"
mtu = "1 KiB"
transport = "rnic_sr"
[nic.memory]
contents = true
[nic.reliability]
rto = "60 us"
[leaf]
kind = "tofino"
chip = "tofino2"
[leaf.program]
name = "p4"
source = "{}"
[leaf.program.routes]
table = "ipv4_lpm"
key = "hdr.ipv4.dst_addr"
action = "route"
port = "port"
mac = "next_hop"
[spine]
kind = "switch"
[leaf_spine]
leaves = 2
spines = 2
hosts_per_leaf = 2
host = "nic"
leaf = "leaf"
spine = "spine"
[[impairment]]
between = ["leaf0", "spine1"]
loss = 0.02
[[impairment]]
between = ["leaf1", "spine0"]
loss = 0.02
[[traffic]]
kind = "messages"
from = ["h0", "h1"]
to = ["h2", "h3"]
message = "9000 B"
count = 30
)",
                     program) +
         more;
}

std::string box(const std::string& block, const std::string& second = "leaf0") {
  return fmt::format(R"([[module]]
name = "box"
kind = "axi_stream"
block = "{}"
clock = "2 ns"
between = ["h0", "{}"]
)",
                     block, second);
}

std::string file_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder of the process's own, gone with it; children that it forks leave it alone.
class Folder {
 public:
  Folder() {
    std::string pattern = std::filesystem::temp_directory_path() / "horae.XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() {
    if (::getpid() == owner_) std::filesystem::remove_all(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  pid_t owner_ = ::getpid();
};

/// A file of the test's own.
std::string written(const std::string& name, const std::string& text) {
  static const Folder folder;
  const std::string path = (folder.path() / name).string();
  std::ofstream(path) << text;
  return path;
}

const std::string router = (p4_folder / "router/router.p4").string();

/// Outcome of the run in words: bytes and wrong ones; packets that were sent again and that were
/// corrupted; those that blocks changed and damaged.
std::string outcome_of(const std::string& text, const std::vector<std::string>& set = {}) {
  const std::string file = written("p.toml", text);
  return test::in_child([&] {
    Platform p(file, {.set = set});
    const std::vector<rnic::rnic*> nics = {&p.nic("h0"), &p.nic("h1"), &p.nic("h2"), &p.nic("h3")};
    p.run_to(1_ps);  // memories are there
    test::fill_sources(nics);
    p.run();
    const test::Moved moved = test::moved(nics);
    std::uint64_t resent = 0;
    for (const auto* nic : nics)
      for (std::size_t k = 1; k < nic->counters().sent.size(); ++k)
        resent += nic->counters().sent[k];
    const std::uint64_t corrupted =
        p.context().pool.dropped(static_cast<fabric::DropCause>(fabric::DropCause::corrupted));
    const auto& results = p.results().summary.at("results");
    const auto count = [&](const char* name) {
      return results.contains(name) ? results.at(name).at("value").get<std::uint64_t>() : 0;
    };
    return fmt::format("{} of {} bytes wrong, {}, corrupted {}; changed {}, damaged {}",
                       moved.wrong, moved.bytes, resent > 0 ? "resent" : "none resent", corrupted,
                       count("box.forward.changed"), count("box.forward.damaged"));
  });
}

TEST(ContentsOnBytes, PassChipsThatRunP4) {
  for (const char* verb : {"write", "read"}) {
    EXPECT_EQ(outcome_of(platform(router), {fmt::format("traffic[0].verb={}", verb)}),
              "0 of 540000 bytes wrong, resent, corrupted 0; changed 0, damaged 0")
        << verb;
  }
}

TEST(ContentsOnBytes, PassBlocksWithPins) {
  for (const char* verb : {"write", "read"}) {
    EXPECT_EQ(
        outcome_of(platform(router, box("passes")), {fmt::format("traffic[0].verb={}", verb)}),
        "0 of 540000 bytes wrong, resent, corrupted 0; changed 0, damaged 0")
        << verb;
  }
}

// Payload as a block writes it is what arrives, chips and switches behind it included: one byte
// of each of the 270 packets of h0, however often they are sent.
TEST(ContentsOnBytes, AreWhatABlockMakesOfThem) {
  const std::string seen = outcome_of(platform(router, box("stamps")));
  EXPECT_TRUE(seen.starts_with("270 of 540000 bytes wrong, resent, corrupted 0; changed ")) << seen;
  EXPECT_TRUE(seen.ends_with("damaged 0")) << seen;
}

// One that changes payload alone is told by the ICRC: those packets are dropped and come again.
TEST(ContentsOnBytes, ThatABlockSpoilsAreToldAndComeAgain) {
  const std::string seen = outcome_of(platform(router, box("spoils")));
  const auto number = [&](const std::string& before) {
    return std::stoul(seen.substr(seen.find(before) + before.size()));
  };
  EXPECT_TRUE(seen.starts_with("0 of 540000 bytes wrong, resent, ")) << seen;
  EXPECT_GE(number("changed "), 13u) << seen;
  EXPECT_EQ(number("damaged "), number("changed ")) << seen;
  // Some are lost behind the block.
  EXPECT_LE(number("corrupted "), number("damaged ")) << seen;
  EXPECT_GE(number("corrupted "), number("damaged ") - 3) << seen;
}

// A program that changes what the ICRC covers and leaves the ICRC alone: no NIC takes its packets.
// Without contents nobody looks.
TEST(ContentsOnBytes, ThatAProgramLeavesWithAWrongIcrcAreTold) {
  std::string text = file_of(router);
  const std::string line = "hdr.ipv4.ttl = hdr.ipv4.ttl - 1;";
  ASSERT_NE(text.find(line), std::string::npos);
  text.insert(text.find(line), "hdr.ipv4.identification = 7; ");
  const std::string wrong = platform(written("wrong.p4", text));
  const std::string seen = outcome_of(wrong, {"sim.duration=1 ms"});
  EXPECT_TRUE(seen.starts_with("0 of 0 bytes wrong, resent, corrupted ")) << seen;
  EXPECT_EQ(seen.find("corrupted 0"), std::string::npos) << seen;
  const std::string unseen = test::in_child([&] {
    Platform p(written("p.toml", wrong), {.set = {"nic.memory.contents=false"}});
    p.run();
    return p.results().summary.at("verdict").get<std::string>();
  });
  EXPECT_EQ(unseen, "complete");
}

}  // namespace
}  // namespace horae::contents_test
