// One pipeline of a chip while a program is being built on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "horae/dataplane/pass.hpp"

namespace horae::dataplane {

class Object;

/// The elaboration-time face of one pipeline: programs construct their objects on it, so everything
/// a program can use is on its list. A pipeline's copy of a program shares nothing with another's.
class Pipeline {
 public:
  /// `name` is the pipeline's path ("tor.pipe0"); `seed` the run's.
  Pipeline(std::string name, unsigned index, std::uint64_t seed)
      : name_(std::move(name)), index_(index), seed_(seed) {}

  const std::string& name() const { return name_; }
  unsigned index() const { return index_; }
  std::uint64_t seed() const { return seed_; }
  const std::vector<const Object*>& objects() const { return objects_; }

 private:
  friend class Object;
  std::string name_;
  unsigned index_;
  std::uint64_t seed_;
  std::vector<const Object*> objects_;
};

/// Something of the hardware that a program uses: it has a name, belongs to one gress of one
/// pipeline, and refuses packets of any other.
class Object {
 public:
  Object(Pipeline& pipeline, Gress gress, std::string name);
  virtual ~Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  const std::string& name() const { return name_; }
  PipelineId where() const { return where_; }

 protected:
  /// Refuses a pass through another pipeline or gress (ModelError).
  void check_owner(const Pass& pass) const {
    if (!(pass.where() == where_)) [[unlikely]]
      wrong_owner(pass);
  }
  /// Likewise, and a second access in the same pass.
  void check_single_access(const Pass& pass) {
    check_owner(pass);
    if (pass.serial() == last_pass_) [[unlikely]]
      second_access(pass);
    last_pass_ = pass.serial();
  }
  [[noreturn]] void broken_rule(const Pass& pass, const std::string& what) const;

 private:
  [[noreturn]] void wrong_owner(const Pass& pass) const;
  [[noreturn]] void second_access(const Pass& pass) const;

  std::string name_;
  PipelineId where_;
  std::uint64_t last_pass_ = ~std::uint64_t{0};
};

}  // namespace horae::dataplane
