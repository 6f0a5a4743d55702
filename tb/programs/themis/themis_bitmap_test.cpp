// The bitmap of two windows against one of all PSNs there ever were.
#include <algorithm>

#include "horae/core/random.hpp"
#include "horae/dataplane/exact_table.hpp"
#include "horae/programs/themis/window_bitmap.hpp"
#include "sanitized.hpp"
#include "themis_parts.hpp"

namespace horae::programs::themis_bitmap_test {
namespace {

using namespace test;

/// The bitmap on a pipeline of its own; each call is a pass.
struct Bitmap {
  explicit Bitmap(const themis::WindowShape& shape)
      : pipeline("tor.pipe0", 0, 1),
        table(pipeline, out, "qps", 1),
        is_data(pipeline, out, "is_data", flag()),
        is_response(pipeline, out, "is_response", flag()),
        is_nack(pipeline, out, "is_nack", flag(), {}, {guarded_by(is_response)}),
        bitmap(pipeline, shape, table, is_data, is_response, is_nack) {}

  static constexpr auto out = Gress::egress;
  static dataplane::ConditionSpec flag() {
    return {.kind = dataplane::ConditionKind::bit, .bits = 1};
  }
  template <class F>
  bool pass(bool data, bool nack, F&& f) {
    Pass p(packet, {0, out}, serial++, 0, Picoseconds(0));
    is_data.test(p, data ? 1 : 0);
    if (is_response.test(p, data ? 0 : 1)) is_nack.test(p, nack ? 1 : 0);
    return f(p);
  }
  bool mark(std::uint32_t qp, Psn psn) {
    return pass(true, false, [&](const Pass& p) { return bitmap.mark(p, qp, psn); });
  }
  void acknowledge(std::uint32_t qp, Psn psn) {
    pass(false, false, [&](const Pass& p) { return bitmap.acknowledge(p, qp, psn), true; });
  }
  bool missing(std::uint32_t qp, Psn psn) {
    return pass(false, true, [&](const Pass& p) { return bitmap.ask(p, qp, psn); });
  }

  dataplane::Pipeline pipeline;
  dataplane::ExactTable<std::uint32_t, std::uint32_t> table;
  dataplane::Gateway is_data, is_response, is_nack;
  themis::WindowBitmap bitmap;
  Packet packet;
  std::uint64_t serial = 0;
};

/// One bit per PSN, counted from zero without coming around.
struct Forever {
  std::vector<std::uint64_t> words;
  bool has(std::uint64_t n) const {
    return n / 64 < words.size() && (words[n / 64] >> n % 64 & 1) != 0;
  }
  void set(std::uint64_t n) {
    if (n / 64 >= words.size()) words.resize(n / 64 + 1024);
    words[n / 64] |= std::uint64_t{1} << n % 64;
  }
};

/// A queue pair and what it did: PSN n is `first` + n.
struct Flow {
  Psn first;
  std::uint64_t start = 0;    // of the window
  std::uint64_t missing = 0;  // the first that has not passed
  Forever passed;
  Psn psn(std::uint64_t n) const {
    return Psn(first.value() + static_cast<std::uint32_t>(n & Psn::mask));
  }
  void pass(std::uint64_t n) {
    passed.set(n);
    while (passed.has(missing)) ++missing;
  }
};

// Data in and before the window, jumps of the window, and NACKs for all that a NIC may ask for.
void compare(std::uint32_t window, std::uint64_t operations) {
  constexpr std::uint32_t qps = 3;
  RandomStream random(window, "bitmap");
  Bitmap real({.qps = qps, .window = window});
  Flow flows[qps];
  for (std::uint32_t qp = 0; qp < qps; ++qp) {
    flows[qp].first = Psn(qp == 0 ? 0xffff00 : random.bits());
    real.bitmap.connect(qp, flows[qp].first);
  }
  std::uint64_t jumps = 0, old = 0, found = 0, absent = 0, wrong = 0;
  for (std::uint64_t i = 0; i < operations && wrong == 0; ++i) {
    const std::uint32_t draw = random.bits();
    const std::uint32_t qp = (draw >> 16) % qps;
    Flow& f = flows[qp];
    // Answers are rare enough for a window to fill.
    const bool quiet = (draw >> 24) % std::max(1u, window / 16) != 0;
    const std::uint32_t what = quiet ? draw % 11 : draw & 15;
    if (what < 11) {
      // Mostly the next one, else any of the window, or of the window before.
      const std::uint32_t offset = random.bits() & (window - 1);
      std::uint64_t n = what < 8 ? f.missing : f.start + offset;
      if (n >= f.start + window) n = f.start + offset;
      if (what == 10 && f.start > offset) n = f.start - 1 - offset;
      const bool counts = real.mark(qp, f.psn(n));
      wrong += counts != (n >= f.start);
      old += counts ? 0 : 1;
      if (counts) f.pass(n);
    } else if (what < 13) {
      if (f.missing == f.start) continue;
      // One further, or all there is.
      const std::uint64_t n = what == 11 ? f.start : f.missing - 1;
      jumps += n + 1 - f.start > window / 2 ? 1 : 0;
      real.acknowledge(qp, f.psn(n));
      f.start = n + 1;
    } else {
      const std::uint64_t reach = f.missing - f.start;
      const std::uint64_t n = what == 13 ? f.start + random.bits() % (reach + 1) : f.missing;
      if (n >= f.start + window) continue;  // more than a NIC may have sent
      const bool missing = real.missing(qp, f.psn(n));
      wrong += missing == f.passed.has(n);
      ++(missing ? absent : found);
      f.start = std::max(f.start, n);
    }
  }
  EXPECT_EQ(wrong, 0u) << "window " << window;
  EXPECT_GT(jumps, 0u);
  EXPECT_GT(old, operations / 100);
  EXPECT_GT(found, operations / 100 / window);
  EXPECT_GT(absent, operations / 100 / window);
  if (operations >= 10'000'000) {
    for (const Flow& f : flows) EXPECT_GT(f.start, std::uint64_t{1} << 20) << window;
  }
}

// A response from before the window, in the other half, comes when the window has begun the second.
TEST(ThemisBitmap, AResponseFromBeforeTheWindowTurnsNoBase) {
  for (const bool of_nack : {false, true}) {
    Bitmap real({.qps = 1, .window = 8});
    real.bitmap.connect(0, Psn(0));
    for (std::uint32_t psn = 0; psn < 10; ++psn) {
      real.mark(0, Psn(psn));
      real.acknowledge(0, Psn(psn));
    }
    real.mark(0, Psn(10));
    if (of_nack) {
      real.missing(0, Psn(2));
    } else {
      real.acknowledge(0, Psn(2));
    }
    EXPECT_FALSE(real.missing(0, Psn(10)));
    EXPECT_TRUE(real.missing(0, Psn(11)));
    real.mark(0, Psn(11));
    EXPECT_FALSE(real.missing(0, Psn(11)));
  }
}

TEST(ThemisBitmap, IsOneOfAllPsns) {
  compare(64, horae::test::sanitized() ? 1'000'000 : 100'000'000);
}

TEST(ThemisBitmap, OfAnyWindow) {
  for (const std::uint32_t window : {1u, 2u, 4u, 8u, 16u, 128u, 512u, 4096u})
    compare(window, 1'000'000);
}

}  // namespace
}  // namespace horae::programs::themis_bitmap_test
