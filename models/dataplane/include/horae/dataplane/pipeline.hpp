// One pipeline of a chip while a program is being built on it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "horae/core/random.hpp"
#include "horae/dataplane/design/design.hpp"
#include "horae/dataplane/pass.hpp"

namespace horae::dataplane {

class Object;
class Gateway;
class RegisterObserver;

/// The elaboration-time face of one pipeline: programs construct their objects on it, so everything
/// a program can use is on its list, and `design()` is what it is charged for. A pipeline's copy of
/// a program shares nothing with another's.
class Pipeline {
 public:
  /// `name` is the pipeline's path ("tor.pipe0"); `seed` the run's.
  Pipeline(std::string name, unsigned index, std::uint64_t seed)
      : name_(std::move(name)), index_(index), seed_(seed) {}

  const std::string& name() const { return name_; }
  unsigned index() const { return index_; }
  std::uint64_t seed() const { return seed_; }
  const std::vector<Object*>& objects() const { return objects_; }
  /// The objects as a list of shapes and dependencies, named as the program names them.
  const Design& design() const { return design_; }
  /// For ValueSet and Checksum: the program has this. ModelError: something else has its name.
  void add(ValueSetSpec spec);
  void add(ChecksumSpec spec);
  /// Whether the program resubmits packets: then the device keeps what came in until ingress is
  /// over.
  bool resubmits() const { return resubmits_; }
  void set_resubmits() { resubmits_ = true; }
  /// An action that a program declared.
  struct DeclaredAction {
    std::string register_name;
    std::string name;
    /// Runs it on random cells and operands, as it runs in a simulation and as the ALU does that it
    /// was described as. The first difference in words; empty when there is none.
    std::function<std::string(RandomStream&, unsigned samples)> difference;
  };
  /// For RegisterAction: the register has this action. ModelError: it has the name already.
  void add_action(const std::string& register_name, const ActionFacts& facts,
                  std::function<std::string(RandomStream&, unsigned)> difference);
  const std::vector<DeclaredAction>& actions() const { return actions_; }

 private:
  friend class Object;
  friend class Gateway;
  void check_new(const std::string& name) const;

  std::string name_;
  unsigned index_;
  std::uint64_t seed_;
  std::vector<Object*> objects_;
  std::array<unsigned, 2> gateways_{};  ///< so far, of each gress
  Design design_;
  std::vector<DeclaredAction> actions_;
  bool resubmits_ = false;
};

/// Dependency of an object on one constructed before it.
struct Need {
  const Object* object = nullptr;
  DependencyKind kind = DependencyKind::match;
  bool guard = false;  ///< `object` is a gateway that lets this one run ...
  bool holds = true;   ///< ... where it holds, or where it does not
};
using Needs = std::vector<Need>;

/// It matches, indexes or tests by what `o` wrote.
inline Need matches(const Object& o) { return {&o, DependencyKind::match}; }
/// Its action writes a field that the action of `o` writes.
inline Need overwrites(const Object& o) { return {&o, DependencyKind::action}; }
/// Its action reads what `o` wrote.
inline Need uses(const Object& o) { return {&o, DependencyKind::read_after_write}; }
/// `o` decides whether it runs.
inline Need follows(const Object& o) { return {&o, DependencyKind::control}; }
/// It runs only where the gateway holds. With several such gateways, where any of them does: a
/// register has an access (a table) for each.
Need guarded_by(const Gateway& gateway);
/// It runs only where the gateway was tested and does not hold.
Need guarded_unless(const Gateway& gateway);

/// Bits that a gateway sets in a pass, by whether it did not hold (0) or did (1). Bit 0 of a pass
/// is always set, the first 31 gateways of a gress have two bits each, later ones none.
using GuardBits = std::array<std::uint64_t, 2>;

/// Something of the hardware that a program uses: it has a name, belongs to one gress of one
/// pipeline, is charged for, and refuses packets of any other.
class Object {
 public:
  Object(Pipeline& pipeline, Gress gress, const std::string& name, ObjectSpec spec,
         const Needs& needs = {});
  virtual ~Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  /// "tor.pipe0.turn"
  const std::string& name() const { return name_; }
  /// "turn"
  std::string short_name() const;
  PipelineId where() const { return where_; }
  /// Whether the last checked pass that used it was pass number `serial`; for who watches.
  virtual bool used_in(std::uint64_t serial) const { return last_pass_ == serial; }
  /// Has accesses told to `watcher` from now on; false: it is no register. For who watches.
  virtual bool watch(RegisterObserver& /*watcher*/) { return false; }

 protected:
  /// Refuses a pass through another pipeline or gress (ModelError), a second access in the same
  /// pass, and one that no gateway let through; nothing in a trusted pass.
  [[gnu::always_inline]] void check_single_access(const PassKind auto& pass) {
    if constexpr (!is_trusted<decltype(pass)>) check_rules(pass);
  }
  [[noreturn]] void broken_rule(const AnyPass& pass, const std::string& what) const;

 private:
  [[gnu::always_inline]] void check_rules(const Pass& pass) {
    if (pass.owner_ != owner_) [[unlikely]]
      wrong_owner(pass);
    if (pass.serial() == last_pass_) [[unlikely]]
      second_access(pass);
    if ((pass.found_ & let_through_by_) == 0) [[unlikely]]
      check_guards(pass);
    last_pass_ = pass.serial();
  }
  /// Refuses a pass in which none of the guards was tested and lets it through: also those that
  /// have no bit in `let_through_by_`.
  void check_guards(const Pass& pass) const;
  [[noreturn]] void kept_out(const Pass& pass) const;
  [[noreturn]] void wrong_owner(const Pass& pass) const;
  [[noreturn]] void second_access(const Pass& pass) const;

  // State that every access looks at first.
  std::uint64_t owner_;  ///< `where_` as a number
  std::uint64_t last_pass_ = ~std::uint64_t{0};
  std::uint64_t let_through_by_ = 1;  ///< one of these bits of a pass; without guards its first
  struct Guard {
    const Gateway* gateway;
    bool holds;
  };
  std::vector<Guard> guards_;
  PipelineId where_;
  std::string name_;
  std::size_t short_from_ = 0;
};

}  // namespace horae::dataplane
