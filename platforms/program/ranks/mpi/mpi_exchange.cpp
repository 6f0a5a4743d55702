// Ranks by MPI: the module that the program loads when it is one of several.
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <boost/mpi/nonblocking.hpp>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"
#include "mpi_module.hpp"

namespace horae::ranks {
namespace {

namespace mpi = boost::mpi;

class MpiExchange final : public fabric::rank_exchange {
 public:
  unsigned rank() const override { return static_cast<unsigned>(world_.rank()); }
  unsigned ranks() const override { return static_cast<unsigned>(world_.size()); }

  void exchange(std::span<const std::span<const std::byte>> out, std::vector<Bytes>& in) override {
    for (int r = 0; r < world_.size(); ++r) {
      if (r == world_.rank()) continue;
      const auto bytes = out[static_cast<std::size_t>(r)];
      const char* from = bytes.empty() ? &nothing_ : chars(bytes.data());
      sending_.push_back(world_.isend(r, data, from, count(bytes.size())));
    }
    for (int r = 0; r < world_.size(); ++r) {
      if (r != world_.rank()) receive(r, in[static_cast<std::size_t>(r)]);
    }
    mpi::wait_all(sending_.begin(), sending_.end());
    sending_.clear();
  }

  void fail(int exit_code, const std::string& text) override {
    Bytes message(sizeof(exit_code) + text.size());
    std::memcpy(message.data(), &exit_code, sizeof(exit_code));
    std::memcpy(message.data() + sizeof(exit_code), text.data(), text.size());
    for (int r = 0; r < world_.size(); ++r) {
      if (r != world_.rank()) world_.send(r, failure, chars(message.data()), count(message.size()));
    }
  }

 private:
  enum Tag : int { data, failure };

  static const char* chars(const std::byte* bytes) { return reinterpret_cast<const char*>(bytes); }
  static int count(std::size_t bytes) {
    if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw ModelError("more than 2 GiB to hand to another rank at once, which MPI does not take");
    return static_cast<int>(bytes);
  }

  void receive(int from, Bytes& in) {
    const mpi::status status = world_.probe(from, mpi::any_tag);
    in.resize(static_cast<std::size_t>(*status.count<char>()));
    char* const to = in.empty() ? &nothing_ : reinterpret_cast<char*>(in.data());
    world_.recv(from, status.tag(), to, count(in.size()));
    if (status.tag() != failure) return;
    int exit_code = 0;
    std::memcpy(&exit_code, in.data(), sizeof(exit_code));
    throw fabric::RankFailed(static_cast<unsigned>(from), exit_code,
                             {chars(in.data()) + sizeof(exit_code), in.size() - sizeof(exit_code)});
  }

  char nothing_ = 0;  ///< where an empty message lies: Boost.MPI takes no null pointer
  mpi::environment environment_{false};
  mpi::communicator world_;
  std::vector<mpi::request> sending_;
};

}  // namespace
}  // namespace horae::ranks

extern "C" [[gnu::visibility("default")]] horae::fabric::rank_exchange* horae_join_mpi() {
  return new horae::ranks::MpiExchange;
}
