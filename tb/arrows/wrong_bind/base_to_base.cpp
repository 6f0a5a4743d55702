// Compiles: sockets of the base protocol, as memory-mapped things use them.
#include <tlm>

void join(tlm::tlm_initiator_socket<64>& from, tlm::tlm_target_socket<64>& to) { from.bind(to); }
