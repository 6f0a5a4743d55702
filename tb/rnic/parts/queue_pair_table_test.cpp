// Queue pairs by number, whether all have finished, and those that wait for others' messages.
#include "horae/rnic/parts/queue_pair_table.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "horae/core/error.hpp"
#include "horae/rnic/parts/message_exchange.hpp"
#include "queue_pair_parts.hpp"

namespace horae::rnic::queue_pair_table_test {
namespace {

TEST(QueuePairTable, NumbersFollowTheFirst) {
  QueuePairTable table("nic");
  table.add(test::make_queue_pair(1));
  EXPECT_EQ(table.last_number(), Qpn(QueuePairTable::first_qpn));
  const QueuePair& second = table.add(test::make_queue_pair(1));
  EXPECT_EQ(table.last_number(), Qpn(QueuePairTable::first_qpn + 1));
  EXPECT_EQ(table.index_of(Qpn(QueuePairTable::first_qpn + 1)), 1u);
  EXPECT_EQ(&table[1], &second);
  EXPECT_EQ(table.size(), 2u);
}

TEST(QueuePairTable, NumbersBeginWhereTheyAreToldTo) {
  QueuePairTable table("nic");
  table.number_from(Qpn(1000));
  table.add(test::make_queue_pair(1));
  table.add(test::make_queue_pair(1));
  EXPECT_EQ(table.last_number(), Qpn(1001));
  EXPECT_EQ(table.number_of(0), Qpn(1000));
  EXPECT_EQ(table.index_of(Qpn(1001)), 1u);
  EXPECT_GE(table.index_of(Qpn(QueuePairTable::first_qpn)), table.size());
}

TEST(QueuePairTable, UnknownNumbersAreRefused) {
  QueuePairTable table("nic");
  table.add(test::make_queue_pair(1));
  EXPECT_GE(table.index_of(Qpn(QueuePairTable::first_qpn + 1)), table.size());
  EXPECT_GE(table.index_of(Qpn(QueuePairTable::first_qpn - 1)), table.size());
}

TEST(QueuePairTable, HasFinishedWhenAllSourcesHave) {
  QueuePairTable table("nic");
  EXPECT_TRUE(table.finished());
  table.add(test::make_queue_pair(0));
  EXPECT_TRUE(table.finished());
  QueuePair& a = table.add(test::make_queue_pair(2));
  QueuePair& b = table.add(test::make_queue_pair(1));
  EXPECT_FALSE(table.finished());
  test::send(a, 2);
  test::send(b, 1);
  test::acknowledge(b, 1);
  table.completed(b);
  table.completed(b);  // said twice, counted once
  EXPECT_FALSE(table.finished());
  test::acknowledge(a, 1);
  table.completed(a);
  EXPECT_FALSE(table.finished());
  test::acknowledge(a, 2);
  table.completed(a);
  EXPECT_TRUE(table.finished());
}

QueuePairConfig takes_part(int exchange, bool source, int completes = -1) {
  QueuePairConfig config;
  config.exchange = exchange;
  config.completes = completes;
  if (source) {
    config.source =
        std::make_unique<traffic::ConstantSource>(traffic::ConstantSource::Config{.count = 1});
  }
  return config;
}

std::vector<std::uint16_t> list(std::span<const std::uint16_t> waits) {
  return {waits.begin(), waits.end()};
}

TEST(MessageExchange, CountsByExchangeAndTellsWhoWaits) {
  MessageExchange exchanges;
  exchanges.add(0, takes_part(1, true));
  exchanges.add(1, takes_part(1, false));  // receives for it, sends nothing
  exchanges.add(2, takes_part(0, true));
  exchanges.add(3, takes_part(1, true));
  exchanges.add(4, takes_part(-1, true));
  EXPECT_EQ(list(exchanges.count(1, 2)), (std::vector<std::uint16_t>{0, 3}));
  EXPECT_EQ(list(exchanges.count(1, 3)), (std::vector<std::uint16_t>{0, 3}));
  EXPECT_EQ(exchanges.received(1), 5u);
  EXPECT_EQ(exchanges.received(0), 0u);
  EXPECT_EQ(exchanges.received(-1), 0u);
  EXPECT_EQ(list(exchanges.count(0, 1)), (std::vector<std::uint16_t>{2}));
}

TEST(MessageExchange, CompletionsCountForAnExchangeOfTheirOwn) {
  MessageExchange exchanges;
  exchanges.add(0, takes_part(-1, true, 2));
  EXPECT_EQ(exchanges.received(2), 0u);
  EXPECT_TRUE(exchanges.count(2, 1).empty());
  exchanges.add(1, takes_part(2, true));
  EXPECT_EQ(exchanges.received(2), 1u);
  EXPECT_EQ(list(exchanges.count(2, 1)), (std::vector<std::uint16_t>{1}));
}

}  // namespace
}  // namespace horae::rnic::queue_pair_table_test
