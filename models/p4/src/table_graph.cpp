// The table graph: dep.json, schema table_graph 1.0.
//
// The graph before placement is the program's own; after it, conditions that were merged into a
// table are gone, and tables that the compiler cut have edges of the pieces.
#include <fmt/format.h>

#include <set>

#include "horae/core/error.hpp"
#include "parts.hpp"
#include "schema_version.hpp"

namespace horae::p4 {
namespace {

using dataplane::DependencyKind;
using dataplane::Gress;

GraphNode read_node(const Json& node, Gress gress) {
  GraphNode out;
  out.gress = gress;
  out.where = node.where();
  const auto& tables = node.at("metadata").at("tables").list();
  if (tables.empty()) throw input_error(node.where(), "a node without a table");
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const Json& t = tables[i];
    const std::string& type = t.at("table_type").text();
    if (i > 0) {
      out.attached.push_back({t.at("name").text(), type});
      continue;
    }
    out.name = t.at("name").text();
    out.kind = type == "match" ? t.at("match_type").text() : type;
    out.condition = t.text_at("condition", {});
  }
  return out;
}

/// Dependencies of the second table; none for edges that order nothing. Types and what they
/// force: dump_json_graph.cpp and table_dependency_graph.h of the back end.
std::optional<DependencyKind> kind_of(const Json& metadata) {
  const std::string& type = metadata.at("type").text();
  const std::string& sub = metadata.at("sub_type").text();
  if (type == "match") return DependencyKind::match;
  if (type == "action") {
    if (sub == "cont_conflict") return std::nullopt;
    return sub == "output" ? DependencyKind::action : DependencyKind::read_after_write;
  }
  if (type == "reduction_or") return DependencyKind::anti;
  if (type == "control") {
    if (sub == "anti") return DependencyKind::anti;
    // "flow" is the order in which tables follow each other, "dependency" what must be kept.
    const auto& tags = metadata.list_at("tags");
    const bool flow = tags.size() == 1 && tags.front().text() == "flow";
    return flow ? std::nullopt : std::optional(DependencyKind::control);
  }
  throw input_error(metadata.at("type").where(),
                    fmt::format("{}: expected match, action, control or reduction_or",
                                metadata.at("type").described()));
}

void read_graph(const Json& graph, Gress gress, TableGraph& out) {
  std::map<std::string, std::size_t> by_id;
  const std::size_t first = out.nodes.size();
  std::set<std::string> ends;
  for (const Json& node : graph.at("nodes").list()) {
    const std::string& id = node.at("id").text();
    GraphNode read = read_node(node, gress);
    // The graph's end is a condition of its own.
    if (read.name == "SINK" && read.kind == "condition") {
      ends.insert(id);
      continue;
    }
    if (!by_id.emplace(id, out.nodes.size()).second)
      throw input_error(node.where(), fmt::format("node '{}' stands twice", id));
    for (std::size_t i = first; i < out.nodes.size(); ++i) {
      if (out.nodes[i].name == read.name)
        throw input_error(node.where(), fmt::format("table '{}' stands twice", read.name));
    }
    out.nodes.push_back(std::move(read));
  }
  for (const Json& edge : graph.at("edges").list()) {
    const auto end = [&](const char* key) -> std::optional<std::size_t> {
      const Json& value = edge.at(key);
      if (ends.contains(value.text())) return std::nullopt;
      const auto at = by_id.find(value.text());
      if (at == by_id.end())
        throw input_error(value.where(), fmt::format("{} is no node", value.described()));
      return at->second;
    };
    const auto from = end("source"), to = end("target");
    if (!from || !to || *from == *to) continue;
    const Json& metadata = edge.at("metadata");
    const auto kind = kind_of(metadata);
    const std::string& sub = metadata.at("sub_type").text();
    if (!kind) {
      if (sub == "cont_conflict") ++out.container_conflicts;
      continue;
    }
    const bool branch = *kind == DependencyKind::control && sub == "condition" &&
                        out.nodes[*from].kind == "condition";
    out.edges.push_back({*from, *to, *kind, branch});
  }
}

}  // namespace

std::optional<Gress> read_gress(const Json& value) {
  const std::string& text = value.text();
  if (text == "ingress") return Gress::ingress;
  if (text == "egress") return Gress::egress;
  if (text == "ghost") return std::nullopt;
  throw input_error(value.where(),
                    fmt::format("{}: expected ingress, egress or ghost", value.described()));
}

TableGraph read_table_graph(const Json& file) {
  check_schema(file, "table_graph", 1, 0);
  TableGraph out;
  std::set<Gress> read;
  for (const Json& graph : file.at("graphs").list()) {
    const Json& metadata = graph.at("metadata");
    if (metadata.at("placement_complete").flag()) continue;
    const auto gress = read_gress(metadata.at("gress"));
    if (!gress || !read.insert(*gress).second) continue;
    read_graph(graph, *gress, out);
  }
  if (read.empty())
    throw input_error(file.at("graphs").where(), "no table graph from before placement");
  return out;
}

}  // namespace horae::p4
