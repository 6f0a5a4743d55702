#include "horae/rnic/host/base_protocol_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace horae::rnic {
namespace {

using Payload = tlm::tlm_generic_payload;

bool moves_data(const Payload& p) {
  return p.get_command() == tlm::TLM_READ_COMMAND || p.get_command() == tlm::TLM_WRITE_COMMAND;
}

bool of_base_protocol(const tlm::tlm_phase& phase) {
  return phase == tlm::BEGIN_REQ || phase == tlm::END_REQ || phase == tlm::BEGIN_RESP ||
         phase == tlm::END_RESP;
}

/// `n` bytes, none where there is no pointer.
std::vector<unsigned char> copied(const unsigned char* from, unsigned n) {
  return from == nullptr ? std::vector<unsigned char>() : std::vector(from, from + n);
}

bool same(const std::vector<unsigned char>& before, const unsigned char* now) {
  return before.empty() || std::memcmp(before.data(), now, before.size()) == 0;
}

std::string text(const Payload& p) {
  return fmt::format("{} of {} bytes at {:#x}",
                     p.is_read()    ? "a read"
                     : p.is_write() ? "a write"
                                    : "a transaction",
                     p.get_data_length(), p.get_address());
}

const char* name_of(tlm::tlm_sync_enum s) {
  return s == tlm::TLM_ACCEPTED    ? "TLM_ACCEPTED"
         : s == tlm::TLM_UPDATED   ? "TLM_UPDATED"
         : s == tlm::TLM_COMPLETED ? "TLM_COMPLETED"
                                   : "no value of tlm_sync_enum";
}

}  // namespace

BaseProtocolRules::Attributes::Attributes(const Payload& p)
    : command(p.get_command()),
      data(p.get_data_ptr()),
      length(p.get_data_length()),
      enables(p.get_byte_enable_ptr()),
      enables_length(p.get_byte_enable_length()),
      streaming_width(p.get_streaming_width()),
      managed(p.has_mm()),
      references(p.get_ref_count()),
      enabled(copied(enables, enables_length)) {
  if (command == tlm::TLM_WRITE_COMMAND) written = copied(data, length);
  if (managed) return;
  extensions.resize(tlm::max_num_extensions());
  for (unsigned i = 0; i < extensions.size(); ++i) extensions[i] = p.get_extension(i);
}

void BaseProtocolRules::check_request(const Payload& p) const {
  if (!moves_data(p) && p.get_command() != tlm::TLM_IGNORE_COMMAND)
    broken("14.9", fmt::format("the command is {}", static_cast<int>(p.get_command())));
  if (moves_data(p) && p.get_data_ptr() == nullptr) broken("14.11", "the data pointer is null");
  if (p.get_data_length() == 0) broken("14.12", "the data length is 0");
  check_enables(p);
  if (p.get_streaming_width() == 0) broken("14.15", "the streaming width is 0");
  if (p.is_dmi_allowed()) broken("14.16", "the initiator says that DMI is allowed");
  if (p.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE)
    broken("14.17", "the response status is " + p.get_response_string() + " before the call");
  if (p.get_gp_option() == tlm::TLM_FULL_PAYLOAD_ACCEPTED)
    broken("14.8", "the initiator says that all attributes were accepted");
}

void BaseProtocolRules::check_enables(const Payload& p) const {
  const unsigned char* const first = p.get_byte_enable_ptr();
  if (first == nullptr) return;
  if (p.get_byte_enable_length() == 0) return broken("14.14", "byte enables of length 0");
  const auto other = std::find_if(first, first + p.get_byte_enable_length(), [](unsigned char e) {
    return e != TLM_BYTE_ENABLED && e != TLM_BYTE_DISABLED;
  });
  if (other != first + p.get_byte_enable_length())
    broken("14.13", fmt::format("a byte enable of {:#x}", *other));
}

void BaseProtocolRules::check_unchanged(const Payload& p, const Attributes& before) const {
  const auto changed = [this, &p](const char* what) {
    broken("14.7", fmt::format("the target changed the {} of {}", what, text(p)));
  };
  if (p.get_command() != before.command) changed("command");
  if (p.get_data_length() != before.length) changed("data length");
  if (p.get_streaming_width() != before.streaming_width) changed("streaming width");
  if (p.get_byte_enable_length() != before.enables_length) changed("byte enable length");
  if (p.get_data_ptr() != before.data) {
    changed("data pointer");
  } else if (!same(before.written, before.data)) {
    changed("data");
  }
  if (p.get_byte_enable_ptr() != before.enables) {
    changed("byte enable pointer");
  } else if (!same(before.enabled, before.enables)) {
    changed("byte enables");
  }
  check_extensions(p, before);
}

void BaseProtocolRules::check_extensions(const Payload& p, const Attributes& before) const {
  if (p.has_mm() != before.managed)
    return broken("14.5", "the target changed the memory manager of " + text(p));
  if (before.managed) {
    if (p.get_ref_count() < before.references)
      broken("14.5", fmt::format("the target released {} that it had not acquired", text(p)));
    return;
  }
  for (unsigned i = 0; i < before.extensions.size(); ++i) {
    if (p.get_extension(i) == before.extensions[i]) continue;
    broken("14.21", fmt::format("the target left an extension changed in {}, which has no memory "
                                "manager",
                                text(p)));
  }
}

void BaseProtocolRules::check_answer(const Payload& p, const Transaction& t) const {
  check_unchanged(p, t.attributes);
  if (p.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE)
    broken("14.17", "the target set no response status for " + text(p));
}

void BaseProtocolRules::check_no_wait(const char* call, const Moment& before,
                                      const Moment& after) const {
  if (after == before) return;
  broken(call[0] == 'n'   ? "11.1.2"
         : call[0] == 'g' ? "11.2"
                          : "11.3",
         fmt::format("{} waits: called at {}, it returns at {} ({} delta cycles later)", call,
                     before.time.to_string(), after.time.to_string(), after.delta - before.delta));
}

bool BaseProtocolRules::check_begins(const Payload& p) const {
  if (transactions_.count(&p) == 0) return true;
  broken("14.5", text(p) + " begins again before it has ended");
  return false;
}

void BaseProtocolRules::advance(Transaction& t, const sc_core::sc_time& to,
                                const char* what) const {
  if (to < t.last) {
    broken(t.stage == Stage::blocking ? "11.1.3" : "15.2.7",
           fmt::format("{} at {}, before the {} at which the transaction is", what, to.to_string(),
                       t.last.to_string()));
  }
  t.last = std::max(t.last, to);
}

BaseProtocolRules::Transaction* BaseProtocolRules::find(const Payload& p) {
  const auto it = transactions_.find(&p);
  return it == transactions_.end() ? nullptr : &it->second;
}

const Payload* BaseProtocolRules::other_at(Stage stage, const Payload& p) const {
  for (const auto& [other, t] : transactions_) {
    if (t.stage == stage && other != &p) return other;
  }
  return nullptr;
}

void BaseProtocolRules::finish(const Payload& p) { transactions_.erase(&p); }

void BaseProtocolRules::b_called(const Payload& p, const sc_core::sc_time& delay, const Moment& at,
                                 bool in_method) {
  if (in_method) broken("11.1.1.4", "b_transport is called from a method process");
  check_request(p);
  if (!check_begins(p)) return;
  transactions_.insert({&p, {Attributes(p), Stage::blocking, at.time + delay}});
}

void BaseProtocolRules::b_returned(const Payload& p, const sc_core::sc_time& delay,
                                   const Moment& at) {
  Transaction* const t = find(p);
  if (t == nullptr || t->stage != Stage::blocking) return;  // told when it was called
  check_answer(p, *t);
  advance(*t, at.time + delay, "b_transport returns");
  finish(p);
}

void BaseProtocolRules::b_left(const Payload& p) { finish(p); }

void BaseProtocolRules::begin_call(const Payload& p, const Phase& phase,
                                   const sc_core::sc_time& delay, const Moment& at, bool forward,
                                   bool known) {
  if (!calls_.empty() && calls_.back().forward != forward) {
    broken("11.1.2", forward ? "nb_transport_fw is called within nb_transport_bw"
                             : "nb_transport_bw is called within nb_transport_fw");
  }
  calls_.push_back({&p, forward, at, phase, delay, known, Attributes(p)});
}

BaseProtocolRules::Call BaseProtocolRules::end_call(const char* name, const Payload& p,
                                                    const Moment& at) {
  const auto it =
      std::find_if(calls_.rbegin(), calls_.rend(), [&p](const Call& c) { return c.payload == &p; });
  Call call = std::move(*it);
  calls_.erase(std::next(it).base());
  check_no_wait(name, call.at, at);
  return call;
}

void BaseProtocolRules::check_accepted(const Call& call, const Phase& phase,
                                       const sc_core::sc_time& delay) const {
  if (phase != call.phase) broken("11.1.2", "TLM_ACCEPTED with another phase");
  if (delay != call.delay) broken("11.1.2", "TLM_ACCEPTED with another time");
}

bool BaseProtocolRules::enter_request(const Payload& p, const sc_core::sc_time& t) {
  check_request(p);
  if (!p.has_mm()) {
    broken("14.5", "nb_transport_fw with a payload that has no memory manager");
  } else if (p.get_ref_count() < 1) {
    broken("14.5", "nb_transport_fw with a payload that the initiator has not acquired");
  }
  if (!check_begins(p)) return false;
  if (const Payload* other = other_at(Stage::request, p))
    broken("15.2.6", "BEGIN_REQ before the request of " + text(*other) + " has ended");
  transactions_.insert({&p, {Attributes(p), Stage::request, t}});
  return true;
}

bool BaseProtocolRules::enter_end_response(const Payload& p, const sc_core::sc_time& t) {
  Transaction* const transaction = find(p);
  if (transaction == nullptr || transaction->stage != Stage::response) {
    broken("15.2.4", "END_RESP without BEGIN_RESP");
    return false;
  }
  advance(*transaction, t, "END_RESP");
  return true;
}

bool BaseProtocolRules::enter_end_request(const Payload& p, const sc_core::sc_time& t) {
  Transaction* const transaction = find(p);
  if (transaction == nullptr || transaction->stage != Stage::request) {
    broken("15.2.4", "END_REQ without BEGIN_REQ");
    return false;
  }
  advance(*transaction, t, "END_REQ");
  transaction->stage = Stage::accepted;
  return true;
}

bool BaseProtocolRules::enter_response(const Payload& p, const sc_core::sc_time& t) {
  Transaction* const transaction = find(p);
  if (transaction == nullptr ||
      (transaction->stage != Stage::request && transaction->stage != Stage::accepted)) {
    broken("15.2.4", "BEGIN_RESP without a request");
    return false;
  }
  if (const Payload* other = other_at(Stage::response, p))
    broken("15.2.6", "BEGIN_RESP before the response of " + text(*other) + " has ended");
  check_answer(p, *transaction);
  advance(*transaction, t, "BEGIN_RESP");
  transaction->stage = Stage::response;
  return true;
}

void BaseProtocolRules::fw_called(const Payload& p, const Phase& phase,
                                  const sc_core::sc_time& delay, const Moment& at) {
  bool known = false;
  if (phase == tlm::BEGIN_REQ) {
    known = enter_request(p, at.time + delay);
  } else if (phase == tlm::END_RESP) {
    known = enter_end_response(p, at.time + delay);
  } else if (of_base_protocol(phase) || phase == tlm::UNINITIALIZED_PHASE) {
    broken("15.2.4", fmt::format("{} on the forward path", phase.get_name()));
  }
  begin_call(p, phase, delay, at, true, known);
}

void BaseProtocolRules::request_returned(const Payload& p, const Phase& phase,
                                         const sc_core::sc_time& t, Sync result) {
  if (result == tlm::TLM_COMPLETED) {
    if (const Payload* other = other_at(Stage::response, p))
      broken("15.2.6", "TLM_COMPLETED before the response of " + text(*other) + " has ended");
    check_answer(p, *find(p));
    advance(*find(p), t, "TLM_COMPLETED");
    return finish(p);
  }
  if (phase == tlm::END_REQ) {
    enter_end_request(p, t);
  } else if (phase == tlm::BEGIN_RESP) {
    enter_response(p, t);
  } else if (of_base_protocol(phase)) {
    broken("15.2.4", fmt::format("TLM_UPDATED to {} for BEGIN_REQ", phase.get_name()));
  }
}

void BaseProtocolRules::fw_returned(const Payload& p, const Phase& phase,
                                    const sc_core::sc_time& delay, const Moment& at, Sync result) {
  const Call call = end_call("nb_transport_fw", p, at);
  if (result == tlm::TLM_ACCEPTED) check_accepted(call, phase, delay);
  if (!call.known) return;
  if (call.phase == tlm::END_RESP) {
    if (result == tlm::TLM_UPDATED) broken("15.2.4", "TLM_UPDATED for END_RESP");
    return finish(p);
  }
  if (find(p) == nullptr) return;  // ended meanwhile by a call that was told of
  if (result == tlm::TLM_ACCEPTED) return check_unchanged(p, call.attributes);
  request_returned(p, phase, at.time + delay, result);
}

void BaseProtocolRules::bw_called(const Payload& p, const Phase& phase,
                                  const sc_core::sc_time& delay, const Moment& at) {
  bool known = false;
  if (phase == tlm::END_REQ) {
    known = enter_end_request(p, at.time + delay);
  } else if (phase == tlm::BEGIN_RESP) {
    known = enter_response(p, at.time + delay);
  } else if (of_base_protocol(phase) || phase == tlm::UNINITIALIZED_PHASE) {
    broken("15.2.4", fmt::format("{} on the backward path", phase.get_name()));
  }
  begin_call(p, phase, delay, at, false, known);
}

void BaseProtocolRules::response_returned(const Payload& p, const Phase& phase,
                                          const sc_core::sc_time& t, Sync result) {
  if (result == tlm::TLM_UPDATED && phase != tlm::END_RESP && of_base_protocol(phase))
    broken("15.2.4", fmt::format("TLM_UPDATED to {} for BEGIN_RESP", phase.get_name()));
  advance(*find(p), t, "END_RESP");
  if (result == tlm::TLM_COMPLETED || phase == tlm::END_RESP) finish(p);
}

void BaseProtocolRules::bw_returned(const Payload& p, const Phase& phase,
                                    const sc_core::sc_time& delay, const Moment& at, Sync result) {
  const Call call = end_call("nb_transport_bw", p, at);
  if (result == tlm::TLM_ACCEPTED) check_accepted(call, phase, delay);
  if (!call.known || find(p) == nullptr || result == tlm::TLM_ACCEPTED) return;
  if (call.phase == tlm::END_REQ)
    return broken("15.2.4", fmt::format("{} for END_REQ", name_of(result)));
  response_returned(p, phase, at.time + delay, result);
}

void BaseProtocolRules::dmi_called(const Payload& p, const Moment& at) {
  if (!moves_data(p)) broken("11.2", "get_direct_mem_ptr for neither a read nor a write");
  calls_.push_back({&p, true, at, {}, {}, true, Attributes(p)});
}

void BaseProtocolRules::dmi_returned(const Payload& p, const tlm::tlm_dmi& dmi, const Moment& at,
                                     bool granted) {
  const Call call = end_call("get_direct_mem_ptr", p, at);
  check_unchanged(p, call.attributes);
  if (dmi.get_start_address() > dmi.get_end_address())
    broken("11.2", "get_direct_mem_ptr answers a region that ends before it begins");
  if (!granted) return;
  if (dmi.get_dmi_ptr() == nullptr) broken("11.2", "DMI is granted without a pointer");
  if (p.get_address() < dmi.get_start_address() || p.get_address() > dmi.get_end_address()) {
    broken("11.2", fmt::format("DMI is granted for a region without {:#x}, which was asked for",
                               p.get_address()));
  }
  if (p.is_read() ? !dmi.is_read_allowed() : !dmi.is_write_allowed())
    broken("11.2", "DMI is granted without the access that was asked for");
}

void BaseProtocolRules::dmi_invalidated(std::uint64_t first, std::uint64_t last) {
  if (first > last)
    broken("11.2", "invalidate_direct_mem_ptr of a region that ends before it begins");
}

void BaseProtocolRules::debug_called(const Payload& p, const Moment& at) {
  if (!moves_data(p) && p.get_command() != tlm::TLM_IGNORE_COMMAND)
    broken("11.3", fmt::format("transport_dbg with command {}", static_cast<int>(p.get_command())));
  if (p.get_data_length() > 0 && p.get_data_ptr() == nullptr)
    broken("11.3", "transport_dbg with a data pointer that is null");
  calls_.push_back({&p, true, at, {}, {}, true, Attributes(p)});
}

void BaseProtocolRules::debug_returned(const Payload& p, const Moment& at, unsigned moved) {
  const Call call = end_call("transport_dbg", p, at);
  check_unchanged(p, call.attributes);
  if (moved > call.attributes.length) {
    broken("11.3", fmt::format("transport_dbg answers {} bytes for {}", moved, text(p)));
  }
}

}  // namespace horae::rnic
