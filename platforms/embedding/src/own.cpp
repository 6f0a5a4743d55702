// A platform file inside a program of your own: its NICs read and write a memory of yours, behind a
// bus of yours, and a module of yours looks at what they do. Arguments: the platform file; how it
// is moved (run, steps or start); picoseconds that the bus takes for a byte; a folder for the
// results.
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "horae/embed/platform.hpp"

namespace {

using sc_core::sc_time;

/// Memory behind a bus that carries one access at a time; the CPU's caches answer in 100 ns.
class shared_memory : public sc_core::sc_module {
 public:
  using port = tlm_utils::simple_target_socket<shared_memory>;

  shared_memory(const sc_core::sc_module_name& name, unsigned ports, double ps_per_byte)
      : sc_module(name), ps_per_byte_(ps_per_byte) {
    for (unsigned i = 0; i < ports; ++i) {
      ports_.push_back(std::make_unique<port>(("port" + std::to_string(i)).c_str()));
      ports_.back()->register_b_transport(this, &shared_memory::b_transport);
    }
  }
  port& at(unsigned i) { return *ports_.at(i); }
  std::uint64_t accesses() const { return accesses_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  /// Annotates its time; it might wait as well.
  void b_transport(tlm::tlm_generic_payload& access, sc_time& delay) {
    const sc_time at = sc_core::sc_time_stamp() + delay;
    const unsigned length = access.get_data_length();
    free_ = std::max(at, free_) + sc_time(ps_per_byte_ * length, sc_core::SC_PS);
    delay += free_ - at + sc_time(100, sc_core::SC_NS);
    ++accesses_;
    bytes_ += length;
    access.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  double ps_per_byte_;
  std::vector<std::unique_ptr<port>> ports_;
  sc_time free_;
  std::uint64_t accesses_ = 0, bytes_ = 0;
};

/// Looks at the platform every 10 us of simulated time, as any module of the program may.
class monitor : public sc_core::sc_module {
 public:
  monitor(const sc_core::sc_module_name& name, horae::Platform& platform)
      : sc_module(name), platform_(platform) {
    SC_HAS_PROCESS(monitor);
    SC_THREAD(look);
  }

 private:
  void look() {
    for (int i = 0; i < 5; ++i) {
      wait(10, sc_core::SC_US);
      std::printf("%s: %llu packets in flight\n", sc_core::sc_time_stamp().to_string().c_str(),
                  static_cast<unsigned long long>(platform_.context().pool.live()));
    }
  }

  horae::Platform& platform_;
};

int simulate(int argc, char** argv) {
  const std::string how = argc > 2 ? argv[2] : "run";
  horae::Platform platform(argc > 1 ? argv[1] : "own.toml");
  shared_memory memory("memory", 2, argc > 3 ? std::atof(argv[3]) : 0);
  monitor looks("monitor", platform);
  platform.nic("h0").host()->memory.bind(memory.at(0));
  platform.nic("h1").host()->memory.bind(memory.at(1));

  if (how == "start") {
    sc_core::sc_start(1, sc_core::SC_MS);
  } else if (how == "steps") {
    for (auto t = horae::Picoseconds(3'333'333); !platform.over(); t = t + t) platform.run_to(t);
  } else {
    platform.run();
  }
  std::printf("%llu accesses, %llu bytes, %llu packets delivered\n",
              static_cast<unsigned long long>(memory.accesses()),
              static_cast<unsigned long long>(memory.bytes()),
              static_cast<unsigned long long>(platform.context().pool.delivered()));
  if (argc > 4) platform.write(argv[4]);
  const auto& results = platform.results().summary.at("results");
  std::printf("fct %.4f us\n", results.at("flows.fct_p50").at("value").get<double>());
  return platform.results().exit_code;
}

}  // namespace

int sc_main(int argc, char** argv) {
  try {
    return simulate(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
