#include "horae/facade/ordering.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "border.hpp"
#include "horae/policy/ordering/eunomia_cycles.hpp"
#include "horae/policy/ordering/ordering.hpp"
#include "settings.hpp"

using namespace horae;
using facade::check_24_bits;
using facade::given;
using facade::guarded;

struct horae_ordering {
  std::unique_ptr<policy::OrderingEngine> engine;
};

namespace {

policy::OrderingConfig read_settings(const char& text) {
  auto config = facade::read_settings<policy::OrderingConfig>(text);
  if (config.level != "model") {
    throw InputError(
        fmt::format("level = '{}': this library has the models; expected 'model'", config.level));
  }
  if (const auto idle = policy::find_idle_parameter(
          policy::named_parameters(policy::ordering_engines()), config.engine, config.parameters)) {
    throw InputError(fmt::format("{} is of engine = \"{}\"; here it is \"{}\"", idle->key,
                                 idle->policy, config.engine));
  }
  return config;
}

std::unique_ptr<policy::OrderingEngine> make_engine(const char* settings) {
  return facade::in_words_of_settings([&] {
    const auto config = read_settings(given(settings, "settings"));
    auto engine = policy::make_ordering_engine(config);
    if (!engine) {
      throw InputError(
          fmt::format("engine = \"{}\" is no engine to ask; expected engine=NAME", config.engine));
    }
    return engine;
  });
}

horae_ordering_answer as_c(const policy::OrderingAnswer& a) {
  const auto clocks = [&](policy::EunomiaMemory memory) {
    return policy::eunomia_cycles(a.ops, memory);
  };
  return {.tracking = static_cast<uint32_t>(a.tracking),
          .rejection = static_cast<uint32_t>(a.rejection),
          .advanced = a.advanced,
          .expected = a.expected.value(),
          .completed = a.completed,
          .words_read = a.ops.words_read,
          .words_written = a.ops.words_written,
          .searched = a.ops.searched,
          .allocated = a.ops.allocated,
          .released = a.ops.released,
          .clocks_registers = clocks(policy::EunomiaMemory::registers),
          .clocks_block_ram = clocks(policy::EunomiaMemory::block_ram)};
}

static_assert(HORAE_IN_ORDER == static_cast<int>(policy::Tracking::in_order) &&
              HORAE_OUT_OF_ORDER == static_cast<int>(policy::Tracking::out_of_order) &&
              HORAE_DUPLICATE == static_cast<int>(policy::Tracking::duplicate) &&
              HORAE_REJECTED == static_cast<int>(policy::Tracking::rejected));
static_assert(HORAE_NOT_REJECTED == static_cast<int>(policy::Rejection::none) &&
              HORAE_REACH == static_cast<int>(policy::Rejection::reach) &&
              HORAE_NO_BLOCK == static_cast<int>(policy::Rejection::no_block) &&
              HORAE_NO_METADATA == static_cast<int>(policy::Rejection::no_metadata));
// horae_pkg.sv has them as arrays of so many words.
static_assert(sizeof(horae_ordering_answer) == 12 * sizeof(uint32_t));
static_assert(sizeof(horae_ordering_bytes) == 3 * sizeof(uint64_t));

}  // namespace

horae_ordering* horae_ordering_create(const char* settings) {
  horae_ordering* made = nullptr;
  guarded([&] { made = new horae_ordering{make_engine(settings)}; });
  return made;
}

void horae_ordering_destroy(horae_ordering* engine) { delete engine; }

int horae_ordering_packet(horae_ordering* engine, uint32_t connection, uint32_t psn, uint32_t head,
                          int last, horae_ordering_answer* answer) {
  return guarded([&] {
    auto& out = given(answer, "answer");
    check_24_bits("connection", connection);
    check_24_bits("psn", psn);
    check_24_bits("head", head);
    out = as_c(
        given(engine, "engine")
            .engine->on_packet(
                {.connection = connection, .psn = Psn(psn), .head = Psn(head), .last = last != 0}));
  });
}

int horae_ordering_close(horae_ordering* engine, uint32_t connection) {
  return guarded([&] {
    check_24_bits("connection", connection);
    given(engine, "engine").engine->close(connection);
  });
}

int horae_ordering_memory(const horae_ordering* engine, horae_ordering_bytes* bytes) {
  return guarded([&] {
    const auto in_use = given(engine, "engine").engine->memory();
    given(bytes, "bytes") = {.fixed = static_cast<uint64_t>(in_use.fixed.count()),
                             .bitmap = static_cast<uint64_t>(in_use.bitmap.count()),
                             .metadata = static_cast<uint64_t>(in_use.metadata.count())};
  });
}

int horae_ordering_provided(const horae_ordering* engine, uint32_t connections, uint64_t* bytes) {
  return guarded([&] {
    if (connections > Psn::mask + 1)
      throw InputError(fmt::format("connections = {} is above the maximum 2^24", connections));
    given(bytes, "bytes") =
        static_cast<uint64_t>(given(engine, "engine").engine->provided(connections).count());
  });
}
