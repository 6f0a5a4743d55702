// Compiles: a link of the packet protocol.
#include "horae/fabric/packet_link.hpp"

void join(horae::fabric::packet_initiator_socket& from, horae::fabric::packet_target_socket& to) {
  from.bind(to);
}
