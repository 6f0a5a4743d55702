// A program of your own with a SystemC module on a link of a device of Horae's: a module that
// serves one packet after the other behind a host. Its only argument is how many packets the host
// sends.
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <systemc>
#include <utility>

#include "horae/fabric/devices/open_loop_host.hpp"
#include "horae/fabric/packet_link.hpp"

namespace {

using namespace horae::literals;
using horae::fabric::packet_phase;
using sc_core::sc_time;

class server : public sc_core::sc_module,
               public horae::fabric::packet_fw_if,
               public horae::fabric::packet_bw_if {
 public:
  server(sc_core::sc_module_name name, horae::fabric::sim_context& context, sc_time per_packet)
      : sc_module(name), context_(context), per_packet_(per_packet) {
    in_.bind(static_cast<horae::fabric::packet_fw_if&>(*this));
    out_.bind(static_cast<horae::fabric::packet_bw_if&>(*this));
    SC_HAS_PROCESS(server);
    SC_THREAD(serve);
  }
  void join(horae::fabric::device& peer, unsigned port, const horae::fabric::LinkConfig& link) {
    peer.tx(port).socket.bind(in_);
    out_.bind(peer.rx(port));
    peer.tx(port).configure(link);
  }
  std::uint64_t served() const { return served_; }
  sc_time last() const { return last_; }

 private:
  /// The last bit of `p` will be here at `t`: up to a window ahead of now.
  tlm::tlm_sync_enum nb_transport_fw(horae::Packet& p, packet_phase&, sc_time& t) override {
    waiting_.emplace_back(&p, t);
    changed_.notify(sc_core::SC_ZERO_TIME);
    return tlm::TLM_ACCEPTED;
  }
  /// PFC; it sends nothing that could be paused.
  tlm::tlm_sync_enum nb_transport_bw(horae::Packet&, packet_phase&, sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  void serve() {
    for (;;) {
      while (waiting_.empty()) wait(changed_);
      const auto [packet, at] = waiting_.front();
      if (at > sc_core::sc_time_stamp()) wait(at - sc_core::sc_time_stamp());
      wait(per_packet_);
      waiting_.pop_front();
      context_.pool.deliver(*packet);
      ++served_;
      last_ = sc_core::sc_time_stamp();
    }
  }

  horae::fabric::packet_target_socket in_{"in"};
  horae::fabric::packet_initiator_socket out_{"out"};
  horae::fabric::sim_context& context_;
  sc_time per_packet_, last_;
  std::deque<std::pair<horae::Packet*, sc_time>> waiting_;
  sc_core::sc_event changed_{"changed"};
  std::uint64_t served_ = 0;
};

}  // namespace

int sc_main(int argc, char** argv) {
  const std::uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10;
  horae::fabric::sim_context context;
  horae::fabric::open_loop_host host(
      "host", context, {.id = 0},
      std::make_unique<horae::traffic::ConstantSource>(horae::traffic::ConstantSource::Config{
          .dst = 1, .bytes = horae::Bytes(1024), .count = count}));
  server mine("mine", context, sc_time(1, sc_core::SC_US));
  mine.join(host, 0, {.rate = 100_Gbps, .delay = 500_ns});
  context.clock.run_to(horae::Picoseconds(1'000'000'000));
  std::printf("%llu packets served, the last one at %.4f us\n",
              static_cast<unsigned long long>(mine.served()), mine.last().to_seconds() * 1e6);
  return mine.served() == count && context.pool.live() == 0 ? 0 : 1;
}
