#include "checked.hpp"

#include <fmt/format.h>

#include <exception>
#include <string>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/policy/balance/load_balancer.hpp"

namespace horae::policy {

namespace {

// A switch takes a balancer's answer as an index: those of plug-ins are looked at first.
class Checked final : public LoadBalancer {
  template <class Call>
  auto guarded(Call&& call) const {
    try {
      return call();
    } catch (const std::exception&) {
      throw;
    } catch (...) {
      throw InputError(fmt::format(
          "load balancer '{}' ({}) threw something that is no std::exception", name_, path_));
    }
  }

 public:
  Checked(std::unique_ptr<LoadBalancer> of, std::string_view name, std::string_view path)
      : of_(std::move(of)), name_(name), path_(path) {}

  unsigned choose(const Packet& packet, unsigned choices, const PortView& view) override {
    const unsigned chosen = guarded([&] { return of_->choose(packet, choices, view); });
    if (chosen < choices) return chosen;
    throw InputError(
        fmt::format("load balancer '{}' ({}) chose candidate {} of {}; expected 0 to {}", name_,
                    path_, chosen, choices, choices - 1));
  }
  BalanceNeeds needs() const override {
    return guarded([&] { return of_->needs(); });
  }
  void begin(const BalancePlace& place) override {
    guarded([&] { of_->begin(place); });
  }
  void comes(Packet& packet, Picoseconds now) override {
    guarded([&] { of_->comes(packet, now); });
  }
  void leaves(Packet& packet, unsigned port, Picoseconds now) override {
    guarded([&] { of_->leaves(packet, port, now); });
  }

 private:
  std::unique_ptr<LoadBalancer> of_;
  std::string name_, path_;
};

}  // namespace

std::unique_ptr<LoadBalancer> checked(std::unique_ptr<LoadBalancer> of, std::string_view name,
                                      std::string_view path) {
  if (of == nullptr)
    throw InputError(fmt::format("load balancer '{}' ({}) made nothing", name, path));
  return std::make_unique<Checked>(std::move(of), name, path);
}

}  // namespace horae::policy
