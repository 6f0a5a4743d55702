// Functions of C answer as the engines behind them do, and nothing that is thrown comes out.
#include "horae/facade/ordering.h"

#include <gtest/gtest.h>

#include <thread>

#include "horae/policy/ordering/eunomia.hpp"
#include "horae/policy/ordering/eunomia_cycles.hpp"
#include "traffic.hpp"

namespace horae::facade_ordering_test {
namespace {

using Engine = std::unique_ptr<horae_ordering, decltype(&horae_ordering_destroy)>;

Engine create(const char* settings) {
  return {horae_ordering_create(settings), &horae_ordering_destroy};
}

policy::OrderingConfig small_eunomia() {
  policy::OrderingConfig c;
  c.engine = "eunomia";
  c.parameters = policy::PolicyParameters::with(
      policy::BitmapReach{.bits = 96},
      policy::EunomiaMemorySizes{.blocks = 64, .index_entries = 5, .search_width = 8});
  return c;
}

TEST(FacadeOrdering, AnswersAsTheEngine) {
  const auto facade = create("engine=eunomia blocks=64 bits=96  index_entries=5 search_width=8");
  ASSERT_NE(facade, nullptr) << horae_error();
  const auto model = policy::make_ordering_engine(small_eunomia());
  tb::OrderingTraffic traffic(1, 16, 120);
  std::uint32_t rejected = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::uint32_t closed = 0;
    const auto packet = traffic.next(closed);
    if (!packet) {
      model->close(closed);
      ASSERT_EQ(horae_ordering_close(facade.get(), closed), HORAE_OK);
      continue;
    }
    const auto answer = model->on_packet(*packet);
    horae_ordering_answer c{};
    ASSERT_EQ(horae_ordering_packet(facade.get(), packet->connection, packet->psn.value(),
                                    packet->head.value(), packet->last, &c),
              HORAE_OK);
    ASSERT_EQ(c.tracking, static_cast<std::uint32_t>(answer.tracking));
    ASSERT_EQ(c.rejection, static_cast<std::uint32_t>(answer.rejection));
    ASSERT_EQ(c.advanced, answer.advanced);
    ASSERT_EQ(c.expected, answer.expected.value());
    ASSERT_EQ(c.completed, answer.completed);
    ASSERT_EQ(c.words_read, answer.ops.words_read);
    ASSERT_EQ(c.words_written, answer.ops.words_written);
    ASSERT_EQ(c.searched, answer.ops.searched);
    ASSERT_EQ(c.allocated, answer.ops.allocated);
    ASSERT_EQ(c.released, answer.ops.released);
    ASSERT_EQ(c.clocks_registers, policy::eunomia_cycles(answer.ops));
    ASSERT_EQ(c.clocks_block_ram,
              policy::eunomia_cycles(answer.ops, policy::EunomiaMemory::block_ram));
    rejected += answer.rejection != policy::Rejection::none;
    traffic.answered(packet->connection, answer);
  }
  EXPECT_GT(rejected, 100u);
  horae_ordering_bytes bytes{};
  ASSERT_EQ(horae_ordering_memory(facade.get(), &bytes), HORAE_OK);
  const auto memory = model->memory();
  EXPECT_EQ(bytes.fixed, static_cast<std::uint64_t>(memory.fixed.count()));
  EXPECT_EQ(bytes.bitmap, static_cast<std::uint64_t>(memory.bitmap.count()));
  EXPECT_EQ(bytes.metadata, static_cast<std::uint64_t>(memory.metadata.count()));
  EXPECT_GT(bytes.metadata, 0u);
  std::uint64_t provided = 0;
  ASSERT_EQ(horae_ordering_provided(facade.get(), 16, &provided), HORAE_OK);
  EXPECT_EQ(provided, static_cast<std::uint64_t>(model->provided(16).count()));
}

TEST(FacadeOrdering, SettingsAreRefusedInOneLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"engine=statik", "setting engine: engine: unknown choice 'statik', did you mean 'static'?"},
      {"engine=static bitz=8", "bitz"},
      {"engine=static 8", "setting '8': expected KEY=VALUE"},
      {"engine=static blocks=64", "blocks is of engine = \"eunomia\"; here it is \"static\""},
      {"engine=eunomia bits=17", "bits = 17 is not a multiple of block_bits = 16"},
      {"engine=eunomia level=both", "level = 'both': this library has the models"},
      {"", "engine = \"none\" is no engine to ask; expected engine=NAME"},
      {nullptr, "settings is null"},
  };
  for (const auto& [settings, message] : cases) {
    EXPECT_EQ(create(settings), nullptr) << settings;
    const std::string said = horae_error();
    EXPECT_NE(said.find(message), std::string::npos) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    EXPECT_EQ(said.find("--set"), std::string::npos) << said;
  }
}

TEST(FacadeOrdering, WrongArgumentsChangeNothing) {
  const auto engine = create("engine=static bits=64");
  horae_ordering_answer answer{};
  answer.expected = 77;
  const auto packet = [&](std::uint32_t connection, std::uint32_t psn, std::uint32_t head) {
    return horae_ordering_packet(engine.get(), connection, psn, head, 0, &answer);
  };
  EXPECT_EQ(packet(1u << 24, 0, 0), HORAE_REFUSED);
  EXPECT_STREQ(horae_error(), "connection = 16777216 is above the maximum 2^24 - 1");
  EXPECT_EQ(packet(0, 1u << 24, 0), HORAE_REFUSED);
  EXPECT_EQ(packet(0, 0, ~0u), HORAE_REFUSED);
  EXPECT_EQ(horae_ordering_packet(nullptr, 0, 0, 0, 0, &answer), HORAE_REFUSED);
  EXPECT_STREQ(horae_error(), "engine is null; expected an object");
  EXPECT_EQ(horae_ordering_packet(engine.get(), 0, 0, 0, 0, nullptr), HORAE_REFUSED);
  EXPECT_EQ(horae_ordering_close(engine.get(), ~0u), HORAE_REFUSED);
  EXPECT_EQ(horae_ordering_memory(engine.get(), nullptr), HORAE_REFUSED);
  std::uint64_t bytes = 0;
  EXPECT_EQ(horae_ordering_provided(engine.get(), ~0u, &bytes), HORAE_REFUSED);
  EXPECT_EQ(answer.expected, 77u);
  horae_ordering_bytes in_use{};
  EXPECT_EQ(horae_ordering_memory(engine.get(), &in_use), HORAE_OK);
  EXPECT_EQ(in_use.fixed, 0u);  // no connection was opened
  EXPECT_EQ(packet(0, 7, 7), HORAE_OK);
  EXPECT_EQ(answer.expected, 8u);
}

TEST(FacadeOrdering, ErrorsBelongToTheirThread) {
  EXPECT_EQ(horae_ordering_create("engine=statik"), nullptr);
  std::string other;
  std::thread([&] { other = horae_error(); }).join();
  EXPECT_EQ(other, "");
  EXPECT_STRNE(horae_error(), "");
}

}  // namespace
}  // namespace horae::facade_ordering_test
