#include "horae/rnic/host/queue_entries.hpp"

#include <boost/endian/conversion.hpp>
#include <cstddef>

namespace horae::rnic {
namespace {

using boost::endian::endian_store;
using boost::endian::order;

template <std::size_t bytes, class T>
void put(QueueEntry& entry, std::size_t at, T value) {
  endian_store<T, bytes, order::big>(entry.data() + at, value);
}

}  // namespace

QueueEntry RdmaWqe::bytes() const {
  QueueEntry e{};
  put<3>(e, 0, message & 0xffffffu);
  e[3] = verb == Verb::read ? 0x10 : 0x08;
  put<3>(e, 4, qp.value());
  e[7] = 3;
  put<8>(e, 16, remote_address);
  put<4>(e, 24, remote_key);
  put<4>(e, 32, length);
  put<4>(e, 36, local_key);
  put<8>(e, 40, local_address);
  return e;
}

QueueEntry SendCqe::bytes() const {
  QueueEntry e{};
  put<3>(e, 0, qp.value());
  put<3>(e, 4, message & 0xffffffu);
  e[8] = error ? 1 : 0;
  return e;
}

}  // namespace horae::rnic
