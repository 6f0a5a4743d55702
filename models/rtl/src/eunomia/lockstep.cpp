#include "horae/rtl/lockstep.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "answers.hpp"
#include "horae/core/error.hpp"
#include "horae/policy/ordering/eunomia_cycles.hpp"
#include "horae/rtl/ordering.hpp"
#include "state.hpp"

namespace horae::rtl {

using policy::OrderingAnswer;

namespace {

void write_file(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out) throw ModelError("cannot write " + file.string());
}

}  // namespace

LockstepEngine::LockstepEngine(std::unique_ptr<policy::EunomiaEngine> model,
                               std::unique_ptr<EunomiaRtl> rtl, LockstepOptions options)
    : model_(std::move(model)), rtl_(std::move(rtl)), options_(std::move(options)) {
  const policy::EunomiaLayout& m = model_->controller().layout();
  const EunomiaShape& r = rtl_->variant().shape;
  if (m.words != r.blocks || m.block_bits != r.block_bits || m.cap() != r.cap_bits ||
      m.index_entries != r.index_entries) {
    throw ModelError(fmt::format("lockstep: the model's parameters are not those of RTL '{}'",
                                 rtl_->variant().name));
  }
}

OrderingAnswer LockstepEngine::on_packet(const policy::OrderingPacket& packet) {
  OrderingAnswer answer = ask_model(packet);
  ++requests_;
  OrderingAnswer rtl;
  try {
    rtl = rtl_->on_packet(packet);
  } catch (const ModelError& e) {
    report(fmt::format("packet PSN {} of connection {}: {}", packet.psn.value(), packet.connection,
                       e.what()));
  }
  if (auto d = answers_differ(answer, rtl); !d.empty()) {
    report(fmt::format("after packet PSN {}{} of connection {}, {}", packet.psn.value(),
                       packet.last ? " (last)" : "", packet.connection, d));
  }
  after_request(packet.connection);
  const EunomiaShape& shape = rtl_->variant().shape;
  const auto memory = static_cast<policy::EunomiaMemory>(shape.memory);
  const std::uint32_t predicted = policy::eunomia_cycles(answer.ops, memory);
  if (shape.port_words == 1 && predicted != rtl.ops.cycles) {
    report(fmt::format("packet PSN {} of connection {} took {} clocks by the model, {} in the RTL",
                       packet.psn.value(), packet.connection, predicted, rtl.ops.cycles));
  }
  answer.ops.cycles = rtl.ops.cycles;
  return answer;
}

void LockstepEngine::close(policy::ConnectionId connection) {
  model_->close(connection);
  ++requests_;
  try {
    rtl_->close(connection);
  } catch (const ModelError& e) {
    report(fmt::format("the end of connection {}: {}", connection, e.what()));
  }
  after_request(connection);
}

void LockstepEngine::after_request(policy::ConnectionId connection) {
  compare_touched(connection);
  if (requests_ % options_.whole_every == 0) compare_whole();
}

void LockstepEngine::compare_touched(policy::ConnectionId connection) const {
  const policy::MemoryController& m = model_->controller();
  const EunomiaTop& top = rtl_->top();
  const EunomiaShape& shape = rtl_->variant().shape;
  const auto about = [&](const std::string& d) {
    report(fmt::format("after a request of connection {}, {}", connection, d));
  };
  for (std::uint32_t i = 0; i * 64 < shape.blocks; ++i) {
    if (m.allocation(i) != top.block_alloc_bitmap(i)) {
      about(fmt::format("block_alloc_bitmap[{}..] is {:016x} in the model, {:016x} in the RTL",
                        64 * i, m.allocation(i), top.block_alloc_bitmap(i)));
    }
  }
  if (auto d =
          difference(connection, connection_of(*model_, connection), top.connection(connection));
      !d.empty()) {
    about(d);
  }
  for (std::uint32_t row = 0; row < shape.index_entries; ++row) {
    if (m.metadata_start_index()[row].valid != top.metadata_start_index(row).valid)
      about(fmt::format("row {} of the index is valid in one of them only", row));
  }
  const auto start = m.metadata_start(connection);
  if (!start) return;
  const auto compare = [&](std::uint32_t a, const char* what, std::uint32_t number) {
    if (m.master_array()[a] == top.master_array(a)) return;
    about(fmt::format("{} {}, word {} of the array, is {:04x} in the model, {:04x} in the RTL",
                      what, number, a, m.master_array()[a], top.master_array(a)));
  };
  for (std::uint32_t w = 0; w < shape.metadata_words(); ++w)
    compare(*start + w, "metadata word", w);
  // Its bitmap: the address of block 0, then the others' distances from it.
  const auto& array = m.master_array();
  const std::uint32_t blocks = array[*start + 7] >> 8;
  for (std::uint32_t b = 0; b < blocks; ++b) {
    const std::uint32_t base = array[*start + 8];
    const std::uint32_t at = b == 0 ? base : (base + array[*start + 8 + b]) & 0xffff;
    for (std::uint32_t w = 0; w < shape.block_bits / 16; ++w) compare(at + w, "bitmap block", b);
  }
}

void LockstepEngine::compare_whole() const {
  const EunomiaShape& shape = rtl_->variant().shape;
  const std::string d = difference(state_of(*model_, shape), state_of(rtl_->top(), shape));
  if (!d.empty()) report(d);
  const auto model = model_->memory();
  const auto rtl = rtl_->memory();
  if (model.total() != rtl.total()) {
    report(fmt::format("bytes in use are {} in the model, {} in the RTL", model.total().count(),
                       rtl.total().count()));
  }
}

void LockstepEngine::report(const std::string& difference) const {
  namespace fs = std::filesystem;
  const fs::path folder = options_.folder;
  const EunomiaShape& shape = rtl_->variant().shape;
  std::string where = "states and waveform in " + folder.string();
  try {
    fs::create_directories(folder);
    write_file(folder / "model.txt", text(state_of(*model_, shape), shape));
    write_file(folder / "rtl.txt", text(state_of(rtl_->top(), shape), shape));
    rtl_->write_waveform((folder / "waveform.vcd").string(), options_.waveform_clocks);
  } catch (const std::exception& e) {
    where = std::string("states and waveform could not be written: ") + e.what();
  }
  throw ModelError(fmt::format("eunomia: model and RTL '{}' differ at request {}: {}; {}",
                               rtl_->variant().name, requests_, difference, where));
}

}  // namespace horae::rtl
