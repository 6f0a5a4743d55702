// State of a NIC's policies for each queue pair, beyond its context, reorder bitmap and list of
// unacknowledged packets.
#pragma once

#include <string_view>
#include <vector>

#include "horae/policy/state_fields.hpp"
#include "horae/rnic/rnic_config.hpp"

namespace horae::rnic {

/// State of one policy, in whole bytes of its own.
struct PolicyState {
  std::string_view name;  ///< "entropy_state"
  bool cached = false;    ///< with the queue pair's context; else always on the chip
  std::vector<policy::StateField> fields;

  std::uint64_t bits() const { return policy::total_bits(fields); }
  Bytes bytes() const { return policy::bytes_for(bits()); }
  friend bool operator==(const PolicyState&, const PolicyState&) = default;
};

/// State of the transport (what it knows of single packets, and its timers: on the chip, as they
/// run without a packet), of the entropy scheme and of congestion control (both by
/// `sram.policy_state`), of the packet engine and of CQEs that are held. Those without state are
/// left out, and so is what is in every context: a source port that never changes, retries.
std::vector<PolicyState> policy_states(const RnicConfig& config);

/// State of `reads` READs and atomics that a queue pair keeps on the chip. As requester, of each
/// outstanding one, where its responses are expected and go (IBTA vol. 1, 9.7.5.1.1 and 9.9.2.4.2).
/// As responder, of each that its requester may ask for again, what the response is made of: for a
/// READ what its RETH said and how far it was sent, for an atomic the value that it returned
/// (9.4.5, 9.7.5.1.2). Beside it: an entry of 32 bytes in Linux' mthca (MTHCA_RDB_ENTRY_SIZE),
/// whose NIC keeps them in host memory.
std::vector<policy::StateField> read_request_state(std::uint32_t reads);
std::vector<policy::StateField> read_response_state(std::uint32_t reads);

/// Contexts in the packet engine, in all: as many as it says, each half of
/// `sram.qp_context`, as a queue pair has one as requester and one as responder.
Bytes engine_contexts(const RnicConfig& config);

/// State of credits and completions for all queue pairs together: two counters of 12 bits for each
/// virtual lane (IBTA vol. 1, 7.9), and a CQE with a block of compressed ones.
Bytes block_state(const RnicConfig& config);

/// The WQE of a message that is gathered from several buffers; zero where none is.
Bytes gathering_wqe(const RnicConfig& config);

/// Bytes of a queue pair that are with its context, or that are not.
Bytes policy_bytes(const std::vector<PolicyState>& states, bool cached);

}  // namespace horae::rnic
