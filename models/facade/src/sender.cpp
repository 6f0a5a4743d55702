#include "horae/facade/sender.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <string>

#include "border.hpp"
#include "horae/core/verb.hpp"
#include "horae/params/schema.hpp"
#include "horae/policy/transport/transport.hpp"
#include "settings.hpp"

using namespace horae;
using facade::given;
using facade::guarded;

namespace {

struct SenderSettings {
  std::string transport = "rnic_sr";
  Bytes mtu{1024};
  policy::TransportConfig reliability;

  static const Schema<SenderSettings>& schema() {
    static const Schema<SenderSettings> s =
        Schema<SenderSettings>("sender", "The TX path of a connection.")
            .field("transport", &SenderSettings::transport, {.doc = "transport"})
            .field("mtu", &SenderSettings::mtu,
                   {.doc = "largest payload of a packet", .min = 256_B, .max = 4096_B})
            .table("reliability", &SenderSettings::reliability, policy::TransportConfig::schema());
    return s;
  }
};

}  // namespace

struct horae_sender {
  struct Message {
    Psn first;
    std::uint32_t packets = 0;
    std::int64_t bytes = 0;
    Psn end() const { return first + static_cast<std::int32_t>(packets); }
  };

  Bytes mtu;
  std::uint32_t window = 0;
  std::unique_ptr<policy::TransportSender> sender;
  std::deque<Message> messages;  ///< the oldest first; completed ones as long as they may be sent
  std::uint64_t forgotten = 0;   ///< messages before them
  std::size_t completed = 0;     ///< so many at the front
  Psn end;                       ///< behind all that is posted
  Picoseconds now{};

  void go_on(std::uint64_t to) {
    if (to > static_cast<std::uint64_t>(never.count()) || Picoseconds(to) < now)
      throw InputError(fmt::format("now = {} ps; expected {} ps or later", to, now.count()));
    now = Picoseconds(static_cast<std::int64_t>(to));
  }

  const Message& message_of(Psn psn, std::size_t& index) const {
    const auto behind = std::partition_point(
        messages.begin(), messages.end(), [&](const Message& m) { return !psn.before(m.first); });
    index = static_cast<std::size_t>(behind - messages.begin()) - 1;
    return messages[index];
  }

  /// Messages that are acknowledged whole since it was called last.
  std::uint32_t complete() {
    std::uint32_t more = 0;
    const Psn oldest = sender->oldest_unacked();
    for (; completed < messages.size() && !oldest.before(messages[completed].end()); ++completed)
      ++more;
    // A packet that was acknowledged by less than a window may be sent again
    // (TransportSender::retransmit).
    const auto far = static_cast<std::int32_t>(2 * window);
    while (completed > 0 && oldest - messages.front().end() > far) {
      messages.pop_front();
      --completed;
      ++forgotten;
    }
    return more;
  }
};

namespace {

std::unique_ptr<horae_sender> make_sender(const char* settings, std::uint32_t first_psn) {
  const auto read = facade::read_settings<SenderSettings>(given(settings, "settings"));
  facade::check_24_bits("first_psn", first_psn);
  const policy::TransportEntry& transport = policy::find_transport(read.transport);
  policy::check_timeouts(transport, read.reliability);
  if (transport.selective) {
    throw InputError(
        fmt::format("transport = \"{}\" has acknowledgements that report single packets; expected "
                    "one that takes ACKs and NAKs",
                    read.transport));
  }
  auto made = std::make_unique<horae_sender>();
  made->mtu = read.mtu;
  made->window = std::min(read.reliability.window, policy::TransportConfig::no_window);
  made->sender = transport.make_sender(read.reliability, Psn(first_psn));
  made->end = Psn(first_psn);
  return made;
}

static_assert(HORAE_SEND_FRESH == static_cast<int>(policy::SendKind::fresh) &&
              HORAE_SEND_EXPECTED == static_cast<int>(policy::SendKind::expected) &&
              HORAE_SEND_LAST == static_cast<int>(policy::SendKind::last) &&
              HORAE_SEND_REWIND == static_cast<int>(policy::SendKind::rewind) &&
              HORAE_SEND_TIMEOUT == static_cast<int>(policy::SendKind::timeout));
// horae_pkg.sv has it as an array of so many words.
static_assert(sizeof(horae_sender_packet) == 7 * sizeof(uint32_t));

}  // namespace

horae_sender* horae_sender_create(const char* settings, uint32_t first_psn) {
  horae_sender* made = nullptr;
  guarded([&] {
    made = facade::in_words_of_settings([&] { return make_sender(settings, first_psn); }).release();
  });
  return made;
}

void horae_sender_destroy(horae_sender* sender) { delete sender; }

int horae_sender_post(horae_sender* sender, uint64_t bytes) {
  return guarded([&] {
    horae_sender& s = given(sender, "sender");
    if (bytes == 0 || bytes > std::uint64_t{1} << 31)
      throw InputError(fmt::format("bytes = {}; expected 1 to 2^31", bytes));
    const Bytes size(static_cast<std::int64_t>(bytes));
    const std::uint32_t packets = packets_of(size, s.mtu);
    const std::int64_t posted = std::int64_t{s.sender->unsent()} + s.sender->unacked() + packets;
    if (posted > policy::TransportConfig::no_window)
      throw InputError(fmt::format("{} packets posted and not acknowledged; expected at most {}",
                                   posted, policy::TransportConfig::no_window));
    s.messages.push_back({s.end, packets, size.count()});
    s.end = s.messages.back().end();
    s.sender->post(packets);
  });
}

int horae_sender_can_send(const horae_sender* sender) {
  return sender != nullptr && sender->sender->can_send() ? 1 : 0;
}

int horae_sender_next(horae_sender* sender, uint64_t now, horae_sender_packet* packet) {
  return guarded([&] {
    horae_sender& s = given(sender, "sender");
    horae_sender_packet& out = given(packet, "packet");
    if (!s.sender->can_send())
      throw InputError("there is no packet to send; expected a call after horae_sender_can_send");
    s.go_on(now);
    const policy::Transmission t = s.sender->next(s.now);
    std::size_t at = 0;
    const auto& message = s.message_of(t.psn, at);
    const auto index = static_cast<std::uint32_t>(t.psn - message.first);
    const bool last = index + 1 == message.packets;
    const Opcode opcode = data_opcode(Verb::write, index == 0, last);
    const std::int64_t before = index * s.mtu.count();
    out = {.psn = t.psn.value(),
           .opcode = static_cast<uint32_t>(opcode),
           .payload = static_cast<uint32_t>(last ? message.bytes - before : s.mtu.count()),
           .ack_request = t.ack_request || ends_message(opcode) ? 1u : 0u,
           .kind = static_cast<uint32_t>(t.kind),
           .message = static_cast<uint32_t>(s.forgotten + at),
           .left = message.packets - index};
  });
}

int horae_sender_ack(horae_sender* sender, uint32_t psn, uint64_t now, uint32_t* completed) {
  return guarded([&] {
    horae_sender& s = given(sender, "sender");
    uint32_t& out = given(completed, "completed");
    facade::check_24_bits("psn", psn);
    s.go_on(now);
    s.sender->on_ack(Psn(psn) + 1, s.now);
    out = s.complete();
  });
}

int horae_sender_nak(horae_sender* sender, uint32_t psn, uint64_t now, uint32_t* completed) {
  return guarded([&] {
    horae_sender& s = given(sender, "sender");
    uint32_t& out = given(completed, "completed");
    facade::check_24_bits("psn", psn);
    s.go_on(now);
    s.sender->on_nack(Psn(psn), s.now);
    out = s.complete();
  });
}

int horae_sender_received(horae_sender* sender, uint32_t psn) {
  return guarded([&] {
    facade::check_24_bits("psn", psn);
    given(sender, "sender").sender->on_received(Psn(psn));
  });
}

int horae_sender_deadline(const horae_sender* sender, uint64_t* at) {
  return guarded([&] {
    const Picoseconds deadline = given(sender, "sender").sender->next_deadline();
    given(at, "at") = deadline == never ? HORAE_NEVER : static_cast<uint64_t>(deadline.count());
  });
}

int horae_sender_timeout(horae_sender* sender, uint64_t now, uint32_t* gave_up) {
  return guarded([&] {
    horae_sender& s = given(sender, "sender");
    uint32_t& out = given(gave_up, "gave_up");
    const Picoseconds deadline = s.sender->next_deadline();
    if (deadline == never || now < static_cast<uint64_t>(deadline.count())) {
      throw InputError(
          deadline == never
              ? std::string("no retransmission timer runs; expected a deadline")
              : fmt::format("now = {} ps is before the deadline, {} ps", now, deadline.count()));
    }
    s.go_on(now);
    s.sender->on_timeout(s.now);
    out = s.sender->exhausted() ? 1 : 0;
    if (out != 0) s.sender->abandon();
  });
}
