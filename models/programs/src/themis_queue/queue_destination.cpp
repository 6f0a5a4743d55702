#include "queue_destination.hpp"

#include <algorithm>
#include <bit>

namespace horae::programs::themis_queue {

using dataplane::ConditionKind;
using dataplane::ConditionSpec;
using dataplane::Needs;

namespace {

/// Kind of a mirrored copy. A NACK that is searched for has zeros in the lowest two bits.
enum CopyType : std::uint8_t { forwarded = 1, search_on = 4, decided = 5 };
constexpr std::uint8_t search_bits = 3;

/// Fields of the header that the deparser puts before a copy.
enum : std::size_t { header_position = 0, header_valid = 1 };

}  // namespace

QueueDestination::QueueDestination(dataplane::Pipeline& pipeline, const ThemisQueueConfig& c)
    : config_(c),
      is_copy_(pipeline, out, "is_copy",
               ConditionSpec{.kind = ConditionKind::ne, .bits = 8, .reads = {"mirror_type"}}),
      is_data_(pipeline, out, "is_data_out", themis::opcode_field(),
               Needs{guarded_unless(is_copy_)}),
      is_response_(pipeline, out, "is_response",
                   ConditionSpec{.kind = ConditionKind::eq, .bits = 8, .reads = {"opcode"}},
                   {number(Opcode::acknowledge)}, Needs{guarded_unless(is_copy_)}),
      searches_(
          pipeline, out, "searches",
          ConditionSpec{.bits = 8, .terms = 3, .reads = {"opcode", "syndrome", "mirror_type"}},
          {number(Opcode::acknowledge), syndrome::nak_psn_sequence, 0}),
      begins_(pipeline, out, "begins_search",
              ConditionSpec{.kind = ConditionKind::eq, .bits = 8, .reads = {"mirror_type"}}, {0},
              Needs{guarded_by(searches_)}),
      ends_(pipeline, out, "ends_search",
            ConditionSpec{.kind = ConditionKind::eq, .bits = 8, .reads = {"mirror_type"}},
            {decided}, Needs{guarded_by(is_copy_)}),
      qps_(pipeline, out, "destination_qps", c.qps()),
      ring_(pipeline, c, qps_.table(), is_data_, searches_, begins_, ends_),
      undecided_(pipeline, out, "undecided", ConditionSpec{.terms = 2},
                 Needs{matches(ring_.result()), guarded_by(searches_)}),
      same_path_(pipeline, out, "same_path",
                 ConditionSpec{.kind = ConditionKind::field_eq,
                               .bits = static_cast<std::uint32_t>(
                                   std::max(1, static_cast<int>(std::bit_width(c.paths - 1))))},
                 {}, Needs{matches(ring_.result()), guarded_unless(undecided_)}),
      again_(pipeline, out, "search_again", Needs{guarded_by(undecided_)}),
      decide_(pipeline, out, "decide", Needs{guarded_unless(undecided_), follows(same_path_)}),
      is_valid_(pipeline, out, "is_valid", ConditionSpec{.kind = ConditionKind::bit, .bits = 1}, {},
                Needs{guarded_by(ends_)}),
      came_back_(pipeline, out, "came_back",
                 ConditionSpec{.kind = ConditionKind::ne, .bits = 16, .reads = {"metadata"}}, {},
                 Needs{guarded_by(is_response_), guarded_by(is_valid_)}),
      send_on_(pipeline, out, "send_on", Needs{guarded_by(came_back_)}),
      drop_(pipeline, out, "drop_nack", {},
            Needs{guarded_by(searches_), guarded_unless(is_valid_), guarded_by(came_back_),
                  overwrites(send_on_)}) {}

void QueueDestination::egress(dataplane::PassKind auto& pass) {
  const Packet& p = pass.header();
  const bool copy = is_copy_.test(pass, p.mirror_type);
  const bool data = !copy && is_data_.test(pass, number(p.opcode));
  const bool response = !copy && is_response_.test(pass, number(p.opcode));
  const bool searches = searches_.test(pass, number(p.opcode), p.syndrome,
                                       std::uint64_t{p.mirror_type} & search_bits);
  const std::uint32_t* qp = qps_.lookup(pass);
  if (copy && ends_.test(pass, p.mirror_type)) return end(pass, *qp);
  if (searches && qp != nullptr) return search(pass, *qp, begins_.test(pass, p.mirror_type));
  if (data && qp != nullptr) ring_.put(pass, *qp, p.psn);
  if (response && came_back_.test(pass, p.metadata)) go_on(pass);
}

void QueueDestination::search(dataplane::PassKind auto& pass, std::uint32_t qp, bool begins) {
  const Packet& p = pass.header();
  using Position = std::optional<std::uint16_t>;
  const auto from = static_cast<std::uint16_t>(pass.mirror_header()[header_position]);
  const auto look = ring_.look(pass, qp, begins ? Position() : Position(from), p.psn);
  ++counts_.looks;
  // Back through this egress; `metadata` keeps where it was to go.
  dataplane::MirrorRequest request{.egress_port = pass.egress_port(),
                                   .type = search_on,
                                   .metadata = p.metadata,
                                   .header = {look.next, 0}};
  if (undecided_.test(pass, !look.found, !look.empty)) {
    again_.request(pass, request);
  } else {
    const std::uint32_t n = config_.paths;
    const bool valid = look.found && same_path_.test(pass, *look.found % n, p.psn.value() % n);
    ++(valid ? counts_.valid : look.found ? counts_.invalid : counts_.untriggered);
    request.type = decided;
    request.header[header_valid] = valid ? 1 : 0;
    decide_.request(pass, request);
  }
  drop_.run(pass, [&] { pass.drop(); });
}

void QueueDestination::end(dataplane::PassKind auto& pass, std::uint32_t qp) {
  ring_.take(pass, qp, static_cast<std::uint16_t>(pass.mirror_header()[header_position]));
  if (!is_valid_.test(pass, pass.mirror_header()[header_valid]))
    return drop_.run(pass, [&] { pass.drop(); });
  if (came_back_.test(pass, pass.header().metadata)) go_on(pass);
}

// To the port that a response was on its way to before it turned back.
void QueueDestination::go_on(dataplane::PassKind auto& pass) {
  send_on_.request(pass, {.egress_port = pass.header().metadata - 1u, .type = forwarded});
  drop_.run(pass, [&] { pass.drop(); });
}

template void QueueDestination::egress(dataplane::Pass&);
template void QueueDestination::egress(dataplane::TrustedPass&);

}  // namespace horae::programs::themis_queue
