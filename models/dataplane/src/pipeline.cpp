#include "horae/dataplane/pipeline.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"

namespace horae::dataplane {
namespace {

std::string describe(PipelineId where) {
  return fmt::format("{} of pipeline {}", where.gress == Gress::ingress ? "ingress" : "egress",
                     where.pipeline);
}

}  // namespace

std::string Pass::describe() const {
  return fmt::format("pass {} (packet {:#x}, {})", serial_, packet_.id,
                     dataplane::describe(where_));
}

Object::Object(Pipeline& pipeline, Gress gress, std::string name)
    : name_(pipeline.name() + "." + name), where_{pipeline.index(), gress} {
  for (const Object* other : pipeline.objects_) {
    if (other->name() == name_) throw ModelError(fmt::format("{}: declared twice", name_));
  }
  pipeline.objects_.push_back(this);
}

void Object::broken_rule(const Pass& pass, const std::string& what) const {
  throw ModelError(fmt::format("{}: {} in {}", name_, what, pass.describe()));
}

void Object::wrong_owner(const Pass& pass) const {
  broken_rule(pass, fmt::format("accessed from outside the {}", dataplane::describe(where_)));
}

void Object::second_access(const Pass& pass) const { broken_rule(pass, "a second access"); }

}  // namespace horae::dataplane
