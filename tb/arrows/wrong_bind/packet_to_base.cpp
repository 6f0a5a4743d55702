// Does not compile: packets into a memory-mapped target of the same width.
#include "horae/fabric/packet_link.hpp"

void join(horae::fabric::packet_initiator_socket& from, tlm::tlm_target_socket<64>& to) {
  from.bind(to);
}
