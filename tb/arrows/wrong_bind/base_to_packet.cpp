// Does not compile: memory-mapped transactions into a packet port of the same width.
#include "horae/fabric/packet_link.hpp"

void join(tlm::tlm_initiator_socket<64>& from, horae::fabric::packet_target_socket& to) {
  from.bind(to);
}
