#include "horae/core/random.hpp"

#include <boost/random/seed_seq.hpp>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid.hpp>
#include <string>

namespace horae {
namespace {

/// Namespace of stream names: any fixed UUID will do, and changing it changes every run's numbers.
constexpr boost::uuids::uuid stream_namespace = {{0x68, 0x6f, 0x72, 0x61, 0x65, 0x2e, 0x73, 0x74,
                                                  0x72, 0x65, 0x61, 0x6d, 0x73, 0x2e, 0x76, 0x31}};

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view name) {
  // A name-based UUID (RFC 4122, SHA-1) is a library's stable hash: near seeds and near names give
  // unrelated states.
  const boost::uuids::name_generator_sha1 hash(stream_namespace);
  const auto digest = hash(std::to_string(seed) + "/" + std::string(name));
  boost::random::seed_seq words(digest.begin(), digest.end());
  engine_.seed(words);
}

}  // namespace horae
