// Fields of tables: read with a schema of their own, or kept as they are for a later one.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "horae/params/any_schema.hpp"
#include "horae/params/field.hpp"
#include "horae/params/section.hpp"

namespace horae::detail {

// A schema may end before those that contain it: they keep a copy, which shares the fields.

/// A table whose fields keep their defaults when it is absent.
class TableField final : public FieldKind {
 public:
  explicit TableField(const AnySchema& inner);

  void read(void* member, const Entry& entry, const Section& section) const override;
  void absent(void* member, const std::string& key, const Section& section) const override;
  bool dump(const void* member, nlohmann::ordered_json& out) const override;
  void describe(const void* defaults, ParamInfo own, std::vector<ParamInfo>& out) const override;

 private:
  AnySchema inner_;
};

/// A table that may be absent; the derived class knows the std::optional.
class OptionalTable : public FieldKind {
 public:
  explicit OptionalTable(const AnySchema& inner);

  void read(void* member, const Entry& entry, const Section& section) const override;
  bool dump(const void* member, nlohmann::ordered_json& out) const override;
  void describe(const void* defaults, ParamInfo own, std::vector<ParamInfo>& out) const override;

 private:
  /// The value in the member, a new one where there was none.
  virtual void* held(void* member) const = 0;
  /// The value in the member, or null.
  virtual const void* find(const void* member) const = 0;

  AnySchema inner_;
};

/// An array of tables; the derived class knows the std::vector.
class TableList : public FieldKind {
 public:
  explicit TableList(const AnySchema& inner);

  void read(void* member, const Entry& entry, const Section& section) const override;
  bool dump(const void* member, nlohmann::ordered_json& out) const override;
  void describe(const void* defaults, ParamInfo own, std::vector<ParamInfo>& out) const override;

 private:
  virtual void clear(void* member) const = 0;
  /// A new last element.
  virtual void* extend(void* member) const = 0;
  virtual std::size_t size(const void* member) const = 0;
  virtual const void* at(const void* member, std::size_t i) const = 0;

  AnySchema inner_;
};

/// A table kept as it is: the member is a Section.
class OpenTable final : public FieldKind {
 public:
  void read(void* member, const Entry& entry, const Section& section) const override;
  void absent(void* member, const std::string& key, const Section& section) const override;
  bool dump(const void* member, nlohmann::ordered_json& out) const override;
  void describe(const void* defaults, ParamInfo own, std::vector<ParamInfo>& out) const override;
};

/// Likewise an array of tables: the member is a std::vector<Section>.
class OpenTableList final : public FieldKind {
 public:
  void read(void* member, const Entry& entry, const Section& section) const override;
  bool dump(const void* member, nlohmann::ordered_json& out) const override;
  void describe(const void* defaults, ParamInfo own, std::vector<ParamInfo>& out) const override;
};

template <class M>
class OptionalTableOf final : public OptionalTable {
  using OptionalTable::OptionalTable;
  using Holder = std::optional<M>;

  void* held(void* member) const override {
    auto& holder = *static_cast<Holder*>(member);
    return holder ? &*holder : &holder.emplace(M{});
  }
  const void* find(const void* member) const override {
    const auto& holder = *static_cast<const Holder*>(member);
    return holder ? &*holder : nullptr;
  }
};

template <class M>
class TableListOf final : public TableList {
  using TableList::TableList;
  using List = std::vector<M>;

  void clear(void* member) const override { static_cast<List*>(member)->clear(); }
  void* extend(void* member) const override {
    auto& list = *static_cast<List*>(member);
    list.push_back(M{});
    return &list.back();
  }
  std::size_t size(const void* member) const override {
    return static_cast<const List*>(member)->size();
  }
  const void* at(const void* member, std::size_t i) const override {
    return &(*static_cast<const List*>(member))[i];
  }
};

/// The same that may be absent; an absent one is not dumped.
template <class M>
class OptionalTableListOf final : public TableList {
  using TableList::TableList;
  using Holder = std::optional<std::vector<M>>;

  bool dump(const void* member, nlohmann::ordered_json& out) const override {
    return static_cast<const Holder*>(member)->has_value() && TableList::dump(member, out);
  }
  void clear(void* member) const override { static_cast<Holder*>(member)->emplace(); }
  void* extend(void* member) const override {
    auto& list = **static_cast<Holder*>(member);
    list.push_back(M{});
    return &list.back();
  }
  std::size_t size(const void* member) const override {
    return (*static_cast<const Holder*>(member))->size();
  }
  const void* at(const void* member, std::size_t i) const override {
    return &(**static_cast<const Holder*>(member))[i];
  }
};

}  // namespace horae::detail
