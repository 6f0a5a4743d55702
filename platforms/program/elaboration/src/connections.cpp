#include "horae/elaboration/connections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "horae/core/error.hpp"
#include "horae/elaboration/wire.hpp"
#include "horae/traffic/source.hpp"
#include "horae/workload/end_points.hpp"

namespace horae::elaboration {
namespace {

rnic::QueuePairConfig queue_pair(std::uint32_t depth, const workload::Flow& flow) {
  rnic::QueuePairConfig config;
  config.depth = depth;
  config.buffer = std::max(flow.buffer, flow.message);
  config.regions = flow.regions;
  return config;
}

/// Each connection has its own UDP source port, as NICs derive one from the queue pair numbers.
std::uint16_t entropy_of(std::size_t connection) {
  return static_cast<std::uint16_t>(0xc000 | ((connection * 0x9e5) & 0x3fff));
}

/// A connection as control planes of switch programs are told of it.
programs::Connection told(const Connection& c, std::size_t number, const workload::Flow& flow) {
  return {.sender = c.sender->id(),
          .receiver = c.receiver->id(),
          .sender_qp = c.sender->number_of(c.sender_qp),
          .receiver_qp = c.receiver->number_of(c.receiver_qp),
          .entropy = entropy_of(number),
          .first_psn = flow.first_psn,
          .starts = flow.start,
          .shakes_hands = c.sender->config().shakes_hands()};
}

/// Adds a flow, connection number `connection`, to its group: the last one, or a new one.
void add_to_group(std::vector<Group>& groups, std::size_t table, const workload::Flow& flow,
                  std::size_t connection) {
  if (groups.empty() || groups.back().traffic != table || groups.back().number != flow.group)
    groups.push_back({table, flow.group, flow.start, connection, 0});
  ++groups.back().count;
}

}  // namespace

void Connections::build() {
  for (std::size_t i = 0; i < platform_.traffic.size(); ++i) {
    const workload::Traffic& traffic = workload::traffic_of(platform_, i);
    const workload::Measure measure = traffic.measure();
    LeadExchanges leads(devices_.all.size(), -1);
    add_programs(traffic);
    traffic.connected_flows(platform_, [&](const workload::Flow& flow) {
      if (measure == workload::Measure::groups) add_to_group(groups_, i, flow, all_.size());
      if (measure == workload::Measure::queries) add_to_group(queries_, i, flow, all_.size());
      const bool message = traffic.is_message(flow);  // others may send until the run ends
      const bool groups = measure == workload::Measure::groups && flow.count == 1;
      const bool counted =
          groups || measure == workload::Measure::messages || measure == workload::Measure::queries;
      if (!counted && (flow.trigger | flow.fires_at_sender | flow.fires_at_receiver) != 0)
        throw ModelError("triggers of flows that are not measured as messages or groups");
      if (message) messages_.push_back({all_.size(), i, flow, {}});
      add(i, flow, all_.size(), leads, message);
    });
  }
  pin_if_mixed();
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    if (messages_[i].flow.trigger == 0) by_time_.push_back(i);
  }
  std::stable_sort(by_time_.begin(), by_time_.end(), [this](std::size_t a, std::size_t b) {
    return messages_[a].flow.start < messages_[b].flow.start;
  });
  const auto by_id = [](const rnic::rnic* a, const rnic::rnic* b) { return a->id() < b->id(); };
  for (auto* group : {&senders_, &receivers_}) {
    std::sort(group->begin(), group->end(), by_id);
    group->erase(std::unique(group->begin(), group->end()), group->end());
  }
}

void Connections::build_alone(const workload::PlacedMessage& message) {
  const workload::Flow& flow = message.flow;
  const auto number_from = [this](unsigned device, std::uint32_t qp) {
    devices_.nic(device).number_queue_pairs_from(Qpn(rnic::rnic::first_qpn + qp));
  };
  number_from(flow.from, message.sender_qp);
  number_from(flow.to, message.receiver_qp);
  messages_.push_back({0, 0, flow, {}});
  LeadExchanges no_leads;
  add(0, flow, message.connection, no_leads, false);
  pin_if_mixed();
}

void Connections::set_ideal(std::span<const std::optional<Picoseconds>> times) {
  for (std::size_t i = 0; i < times.size(); ++i) messages_.at(i).ideal = times[i];
}

/// Where there are connections that are not to be balanced.
void Connections::pin_if_mixed() {
  bool mixed = false;
  for (std::size_t i = 0; i < platform_.traffic.size(); ++i)
    mixed = mixed || workload::traffic_of(platform_, i).ecmp_every().value_or(0) != 0;
  if (!mixed) return;
  for (auto* sw : devices_.switches) sw->pin_connections();
}

void Connections::add_programs(const workload::Traffic& traffic) {
  program_of_.assign(devices_.all.size(), -1);
  traffic.programs(platform_, [&](unsigned device, std::unique_ptr<traffic::HostProgram> program) {
    program_of_[device] = devices_.nic(device).add_program(std::move(program));
  });
}

void Connections::add(std::size_t table, const workload::Flow& flow, std::size_t number,
                      LeadExchanges& leads, bool closes) {
  auto send = queue_pair(flow.depth, flow);
  auto receive = queue_pair(1, flow);
  send.source = source_of(flow, number);
  if (flow.batch != 0) {
    // Those of a table that a sender visits in turn have one exchange; the first one comes first.
    if (flow.turn == 0) turns_[flow.from] = exchanges_[flow.from]++;
    send.exchange = send.completes = turns_[flow.from];
    send.visit = flow.batch;
  }
  if (flow.lead != 0) {
    for (const unsigned device : {flow.from, flow.to}) {
      if (leads[device] < 0) leads[device] = exchanges_[device]++;
    }
    send.exchange = leads[flow.from];
    receive.exchange = leads[flow.to];
  }
  if (flow.fires_at_sender != 0)
    send.completes = trigger(table, flow.fires_at_sender, flow.from).exchange;
  if (flow.fires_at_receiver != 0)
    receive.exchange = trigger(table, flow.fires_at_receiver, flow.to).exchange;
  if (flow.trigger != 0) {
    Trigger& starts = trigger(table, flow.trigger, flow.from);
    if (closes) starts.starts.push_back(messages_.size() - 1);
    send.exchange = starts.exchange;
  }
  if (flow.channel) {
    send.exchange = exchanges_[flow.from]++;
    send.program = program_of_[flow.from];
    receive.program = program_of_[flow.to];
    send.channel = receive.channel = *flow.channel;
  }
  send.words = flow.words;
  send.fenced = flow.fenced;
  send.service = receive.service = flow.service;
  send.receives = receive.receives = flow.any_verb([](Verb v) { return takes_receive_wqe(v); });
  if (receive.exchange >= 0 || flow.channel) {
    // A CQE tells of messages that take receive WQEs.
    if (!receive.receives)
      receive.receive_packets = static_cast<std::uint32_t>(
          std::max<std::int64_t>(1, workload::packets_of(platform_, flow.from, flow.message)));
    receive.notify_delay = flow.notify_delay;
  }
  connect(table, flow, number, std::move(send), std::move(receive));
}

std::unique_ptr<traffic::TrafficSource> Connections::source_of(const workload::Flow& flow,
                                                               std::size_t number) {
  const NodeId to = devices_.nic(flow.to).id();
  if (flow.sizes || flow.verbs || flow.batch != 0) {
    return std::make_unique<traffic::MixedSource>(
        traffic::MixedSource::Config{.dst = to,
                                     .bytes = flow.message,
                                     .mix = flow.sizes,
                                     .start = flow.start,
                                     .count = flow.count,
                                     .batch = flow.batch,
                                     .turn = flow.turn,
                                     .turns = flow.turns,
                                     .seed = platform_.sim.seed,
                                     .stream = fmt::format("connection{}.sizes", number),
                                     .verb = flow.verb,
                                     .verbs = flow.verbs});
  }
  return std::make_unique<traffic::ConstantSource>(
      traffic::ConstantSource::Config{.dst = to,
                                      .bytes = flow.message,
                                      .start = flow.start,
                                      .count = flow.count,
                                      .lead = flow.lead,
                                      .after = flow.after,
                                      .gated = flow.channel.has_value() || flow.answers,
                                      .verb = flow.verb});
}

Connections::Trigger& Connections::trigger(std::size_t table, std::uint32_t number,
                                           unsigned device) {
  const auto [it, added] = triggers_.try_emplace({table, number});
  if (added) it->second.exchange = exchanges_[device]++;
  return it->second;
}

void Connections::connect(std::size_t table, const workload::Flow& flow, std::size_t number,
                          rnic::QueuePairConfig send, rnic::QueuePairConfig receive) {
  rnic::rnic& from = devices_.nic(flow.from);
  rnic::rnic& to = devices_.nic(flow.to);
  const bool reads = flow.any_verb([](Verb v) { return has_response(v); });
  const auto of_nic = static_cast<std::uint8_t>((reads ? to : from).config().traffic_class);
  const Connection connection{&from,
                              from.queue_pairs(),
                              &to,
                              to.queue_pairs(),
                              flow.count == 0,
                              table,
                              reads,
                              send.receives,
                              flow.any_verb([](Verb v) { return is_atomic(v); }),
                              flow.service,
                              reads && flow.any_verb([](Verb v) { return !has_response(v); }),
                              flow.traffic_class.value_or(of_nic)};
  const programs::Connection named = told(connection, number, flow);
  send.remote = named.receiver_qp;
  send.peer = to.id();
  send.entropy = named.entropy;
  send.ordinal = static_cast<std::uint32_t>(number);
  send.first_send = flow.first_psn;
  send.spray = receive.spray = flow.spray;
  send.traffic_class = flow.traffic_class;
  if (connection.reads) {
    receive.traffic_class = flow.traffic_class;
    send.reads = receive.reads =
        std::min(from.config().reliability.most_reads(), to.config().reliability.most_reads());
  }
  receive.remote = named.sender_qp;
  receive.peer = from.id();
  receive.entropy = named.entropy;
  receive.first_receive = flow.first_psn;
  from.add_queue_pair(std::move(send));
  to.add_queue_pair(std::move(receive));
  for (auto* t : devices_.tofinos) t->connect(named);
  for (auto* sw : devices_.learning)
    sw->learn({named.sender, named.sender_qp, named.receiver, named.receiver_qp});
  all_.push_back(connection);
  senders_.push_back(&from);
  receivers_.push_back(&connection.data_end());
  if (connection.both) receivers_.push_back(&to);
}

void Connections::close(Picoseconds now, fabric::rank_exchange* ranks) {
  const auto open = [this](std::size_t message) { opened_[message] = ++openings_; };
  opened_.resize(messages_.size());
  while (arrived_ < by_time_.size() && messages_[by_time_[arrived_]].flow.start <= now)
    open(by_time_[arrived_++]);
  add_completed(ranks);
  // A triggered message may be closed only after the one that fires its trigger.
  const auto closing = std::partition(completed_.begin(), completed_.end(),
                                      [this](std::size_t i) { return opened_[i] == 0; });
  std::sort(closing, completed_.end(),
            [this](std::size_t a, std::size_t b) { return opened_[a] < opened_[b]; });
  std::vector<std::size_t> fired;
  for (auto i = closing; i != completed_.end(); ++i) {
    const Message& message = messages_[*i];
    const Connection& c = all_[message.connection];
    if (c.receiver->runs_here()) c.receiver->close_connection(c.receiver_qp, now);
    for (auto* t : devices_.tofinos) t->disconnect(told(c, message.connection, message.flow), now);
    for (const std::uint32_t t : {message.flow.fires_at_sender, message.flow.fires_at_receiver}) {
      if (t == 0) continue;
      auto& starts = triggers_.at({message.traffic, t}).starts;
      fired.insert(fired.end(), starts.begin(), starts.end());
      starts.clear();
    }
  }
  completed_.erase(closing, completed_.end());
  std::ranges::for_each(fired, open);
}

void Connections::add_completed(fabric::rank_exchange* ranks) {
  std::vector<std::uint32_t> mine;
  for (rnic::rnic* sender : senders_) {
    for (const std::uint32_t connection : sender->take_finished()) {
      const auto found = std::ranges::lower_bound(messages_, connection, {}, &Message::connection);
      if (found != messages_.end() && found->connection == connection)
        mine.push_back(static_cast<std::uint32_t>(found - messages_.begin()));
    }
  }
  if (ranks == nullptr) {
    completed_.insert(completed_.end(), mine.begin(), mine.end());
    return;
  }
  for (const auto& bytes : ranks->all(std::as_bytes(std::span(mine)))) {
    for (WireReader theirs(bytes); !theirs.empty();)
      completed_.push_back(theirs.get<std::uint32_t>());
  }
}

bool Connections::waiting() const {
  return std::any_of(all_.begin(), all_.end(), [](const Connection& c) {
    return c.sender->runs_here() && c.sender->queue_pair(c.sender_qp).outstanding() > 0;
  });
}

}  // namespace horae::elaboration
