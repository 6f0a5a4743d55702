// horae._pricing: designs priced in the process of Python, by the rooms that `horae size` uses.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/dataplane/priced.hpp"
#include "horae/params/json_section.hpp"

namespace py = pybind11;
using nlohmann::ordered_json;

namespace {

constexpr const char* design_name = "design";
constexpr int deepest = 100;

/// What a design is made of, as JSON. InputError for what TOML has no word for.
ordered_json json_of(const py::handle& value, const std::string& path, int depth = 0) {
  const auto refuse = [&](const std::string& found) {
    return horae::InputError(path + ": " + found +
                             "; expected a dict, a list, a text, a number or a flag");
  };
  if (depth > deepest) throw refuse("nested deeper than " + std::to_string(deepest));
  if (PyDict_Check(value.ptr())) {
    ordered_json out = ordered_json::object();
    for (const auto& [key, item] : py::reinterpret_borrow<py::dict>(value)) {
      if (!PyUnicode_Check(key.ptr())) throw refuse("the key " + py::repr(key).cast<std::string>());
      const auto name = key.cast<std::string>();
      out[name] = json_of(item, path + "." + name, depth + 1);
    }
    return out;
  }
  if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr())) {
    ordered_json out = ordered_json::array();
    for (const auto& item : py::reinterpret_borrow<py::sequence>(value))
      out.push_back(json_of(item, path + "[" + std::to_string(out.size()) + "]", depth + 1));
    return out;
  }
  if (PyUnicode_Check(value.ptr())) return value.cast<std::string>();
  if (PyBool_Check(value.ptr())) return value.cast<bool>();
  if (PyFloat_Check(value.ptr())) return value.cast<double>();
  if (PyIndex_Check(value.ptr()) != 0) {  // int, and the integers of NumPy
    const auto number = py::reinterpret_steal<py::int_>(PyNumber_Index(value.ptr()));
    int overflow = 0;
    const auto n = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow != 0) throw refuse("an integer beyond 64 bits");
    return std::int64_t{n};
  }
  if (PyNumber_Check(value.ptr()) != 0) return PyFloat_AsDouble(value.ptr());
  throw refuse(py::repr(value.get_type()).cast<std::string>());
}

/// Chips by name, read once. A file is read each time, as it may have changed.
const horae::dataplane::ChipSpec& chip_of(const horae::Located<std::string>& name) {
  static std::map<std::string, horae::dataplane::ChipSpec> known;
  if (const auto it = known.find(name.value); it != known.end() && !name.value.ends_with(".toml"))
    return it->second;
  auto chip = horae::dataplane::ChipSpec::find(name);
  return known.insert_or_assign(name.value, std::move(chip)).first->second;
}

/// One design with its price.
struct Price {
  horae::dataplane::Priced priced;

  unsigned stages() const { return priced.ledger.stages_used(); }
  bool fits() const { return priced.ledger.refused.empty(); }
  std::vector<unsigned> cycles() const {
    return {static_cast<unsigned>(priced.ledger.latency[0].count()),
            static_cast<unsigned>(priced.ledger.latency[1].count())};
  }
};

std::vector<Price> price(const py::dict& design, const std::optional<std::string>& chip) {
  const auto file = horae::dataplane::read_design_tables(
      horae::section_of(json_of(design, design_name), design_name));
  std::vector<Price> out;
  for (const auto& c : file.cases) {
    horae::dataplane::require_objects(c);
    const auto& spec = chip_of(chip ? horae::Located<std::string>{*chip, {}} : c.chip);
    Price& one = out.emplace_back();
    one.priced =
        horae::dataplane::price(c.design, spec, horae::dataplane::PlaceEffort::whole, true);
    one.priced.undeclared = c.undeclared;
  }
  return out;
}

}  // namespace

PYBIND11_MODULE(_pricing, m) {
  m.doc() = "Prices of designs, by the rooms that `horae size` uses.";
  static const py::object bad_input = py::module_::import("horae.errors").attr("BadInput");
  static const py::object error = py::module_::import("horae.errors").attr("HoraeError");
  py::register_exception_translator([](std::exception_ptr p) {
    try {
      std::rethrow_exception(p);
    } catch (const horae::InputError& e) {
      PyErr_SetString(bad_input.ptr(), e.what());
    } catch (const horae::ModelError& e) {
      PyErr_SetString(error.ptr(), e.what());
    }
  });
  py::class_<Price>(m, "Price")
      .def_property_readonly("name", [](const Price& p) { return p.priced.ledger.name; })
      .def_property_readonly("stages", &Price::stages)
      .def_property_readonly("fits", &Price::fits)
      .def_property_readonly("cycles", &Price::cycles)
      .def("json", [](const Price& p) { return priced_json(p.priced, 1, false).dump(); })
      .def("refused_json", [](const Price& p) { return priced_refusals_json(p.priced).dump(); });
  m.def("price", &price);
}
