#include "horae/dataplane/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/dataplane/gateway.hpp"

namespace horae::dataplane {
namespace {

std::string describe(PipelineId where) {
  return fmt::format("{} of pipeline {}", gress_name(where.gress), where.pipeline);
}

}  // namespace

std::string AnyPass::describe() const {
  return fmt::format("pass {} (packet {:#x}, {})", serial_, packet_.id,
                     dataplane::describe(where_));
}

void Pipeline::add_action(const std::string& register_name, const ActionFacts& facts,
                          std::function<std::string(RandomStream&, unsigned)> difference) {
  for (auto& object : design_.objects) {
    auto* const spec = std::get_if<RegisterSpec>(&object.spec);
    if (object.name != register_name || spec == nullptr) continue;
    const bool twice = std::any_of(spec->actions.begin(), spec->actions.end(),
                                   [&](const auto& a) { return a.name == facts.name; });
    if (twice)
      throw ModelError(
          fmt::format("{}.{}: action {} declared twice", name_, register_name, facts.name));
    spec->unchecked = false;
    spec->actions.push_back(facts);
    actions_.push_back({register_name, facts.name, std::move(difference)});
    return;
  }
  throw ModelError(
      fmt::format("{}: no register {} for action {}", name_, register_name, facts.name));
}

void Pipeline::check_new(const std::string& name) const {
  if (design_.declares(name)) throw ModelError(fmt::format("{}.{}: declared twice", name_, name));
}

void Pipeline::add(ValueSetSpec spec) {
  check_new(spec.name);
  design_.value_sets.push_back(std::move(spec));
}

void Pipeline::add(ChecksumSpec spec) {
  check_new(spec.name);
  design_.checksums.push_back(std::move(spec));
}

Need guarded_by(const Gateway& gateway) { return {&gateway, DependencyKind::control, true, true}; }
Need guarded_unless(const Gateway& gateway) {
  return {&gateway, DependencyKind::control, true, false};
}

Object::Object(Pipeline& pipeline, Gress gress, const std::string& name, ObjectSpec spec,
               const Needs& needs)
    : owner_(PipelineId{pipeline.index(), gress}.number()),
      where_{pipeline.index(), gress},
      name_(pipeline.name() + "." + name),
      short_from_(pipeline.name().size() + 1) {
  auto& objects = pipeline.design_.objects;
  DesignObject object{name, gress, std::move(spec), {}, {}};
  pipeline.check_new(name);
  for (const Need& need : needs) {
    const std::string on = need.object->short_name();
    const auto other = std::find_if(objects.begin(), objects.end(),
                                    [&](const DesignObject& o) { return o.name == on; });
    const bool here = std::find(pipeline.objects_.begin(), pipeline.objects_.end(), need.object) !=
                      pipeline.objects_.end();
    if (!here || other == objects.end() || other->gress != gress) {
      throw ModelError(fmt::format("{}: needs {}, which is not in the {} of its pipeline", name_,
                                   need.object->name(), gress_name(where_.gress)));
    }
    if (need.guard) {
      auto& condition = std::get<ConditionSpec>(other->spec);
      condition.guards.push_back(name);
      if (!need.holds) condition.guards_not.push_back(name);
      const auto* gateway = static_cast<const Gateway*>(need.object);
      if (guards_.empty()) let_through_by_ = 0;
      let_through_by_ |= gateway->bits()[need.holds ? 1 : 0];
      guards_.push_back({gateway, need.holds});
    } else {
      object.after.push_back({on, need.kind});
    }
  }
  if (auto* r = std::get_if<RegisterSpec>(&object.spec)) {
    r->accesses = std::max(r->accesses, static_cast<std::uint32_t>(guards_.size()));
  }
  objects.push_back(std::move(object));
  pipeline.objects_.push_back(this);
}

std::string Object::short_name() const { return name_.substr(short_from_); }

void Object::broken_rule(const AnyPass& pass, const std::string& what) const {
  throw ModelError(fmt::format("{}: {} in {}", name_, what, pass.describe()));
}

void Object::check_guards(const Pass& pass) const {
  const bool met = std::any_of(guards_.begin(), guards_.end(), [&](const Guard& g) {
    return g.holds ? g.gateway->held(pass) : g.gateway->failed(pass);
  });
  if (!met) kept_out(pass);
}

void Object::kept_out(const Pass& pass) const {
  std::string names;
  for (const Guard& g : guards_)
    names += (names.empty() ? "" : " or ") + g.gateway->short_name() + (g.holds ? "" : " = false");
  broken_rule(pass, fmt::format("used although its guard is not met ({})", names));
}

void Object::wrong_owner(const Pass& pass) const {
  broken_rule(pass, fmt::format("accessed from outside the {}", dataplane::describe(where_)));
}

void Object::second_access(const Pass& pass) const { broken_rule(pass, "a second access"); }

}  // namespace horae::dataplane
