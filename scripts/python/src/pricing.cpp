// horae._pricing: designs priced in the process of Python, by the rooms that `horae size` uses.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/dataplane/price/priced.hpp"
#include "horae/params/given.hpp"

namespace py = pybind11;
using horae::Given;

namespace {

constexpr const char* design_name = "design";
constexpr int deepest = 100;

/// Reads the objects of a design. InputError for values that TOML has no word for. Without `places`
/// no node says where it is: that takes as long as all the rest, and only messages need it.
class Reader {
 public:
  explicit Reader(bool places) : places_(places) {}

  Given read(const py::handle& value, const std::string& path, int depth = 0) const {
    const auto refuse = [&](const std::string& found) {
      return horae::InputError(path + ": " + found +
                               "; expected a dict, a list, a text, a number or a flag");
    };
    if (depth > deepest) throw refuse("nested deeper than " + std::to_string(deepest));
    if (PyDict_Check(value.ptr())) {
      const auto dict = py::reinterpret_borrow<py::dict>(value);
      std::vector<std::pair<std::string, Given>> entries;
      entries.reserve(dict.size());
      for (const auto& [key, item] : dict) {
        if (!PyUnicode_Check(key.ptr()))
          throw refuse("the key " + py::repr(key).cast<std::string>());
        auto name = key.cast<std::string>();
        auto node = read(item, places_ ? path + "." + name : path, depth + 1);
        entries.emplace_back(std::move(name), std::move(node));
      }
      return Given::table(path, std::move(entries));
    }
    if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr())) {
      std::vector<Given> elements;
      for (const auto& item : py::reinterpret_borrow<py::sequence>(value)) {
        const auto at = places_ ? path + "[" + std::to_string(elements.size()) + "]" : path;
        elements.push_back(read(item, at, depth + 1));
      }
      return Given::list(path, std::move(elements));
    }
    if (PyUnicode_Check(value.ptr())) return Given::text(path, value.cast<std::string>());
    if (PyBool_Check(value.ptr())) return Given::flag(path, value.cast<bool>());
    if (PyFloat_Check(value.ptr())) return Given::number(path, value.cast<double>());
    if (PyIndex_Check(value.ptr()) != 0) {  // int, and the integers of NumPy
      const auto number = py::reinterpret_steal<py::int_>(PyNumber_Index(value.ptr()));
      int overflow = 0;
      const auto n = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
      if (overflow != 0) throw refuse("an integer beyond 64 bits");
      return Given::integer(path, n);
    }
    if (PyNumber_Check(value.ptr()) != 0) return Given::number(path, PyFloat_AsDouble(value.ptr()));
    throw refuse(py::repr(value.get_type()).cast<std::string>());
  }

 private:
  bool places_;
};

using Chip = std::shared_ptr<const horae::dataplane::ChipSpec>;

/// Chips by name, read once. A file is read each time, as it may have changed.
Chip chip_of(const horae::Located<std::string>& name) {
  static std::map<std::string, Chip> known;
  Chip& chip = known[name.value];
  if (chip == nullptr || name.value.ends_with(".toml"))
    chip = std::make_shared<horae::dataplane::ChipSpec>(horae::dataplane::ChipSpec::find(name));
  return chip;
}

/// One design with its price. What its stages stand beside is for the summary alone, and worked out
/// when that is asked for.
struct Price {
  horae::dataplane::Design design;
  Chip chip;
  horae::dataplane::Priced priced;

  unsigned stages() const { return priced.ledger.stages_used(); }
  bool fits() const { return priced.ledger.refused.empty(); }
  std::vector<unsigned> cycles() const {
    return {static_cast<unsigned>(priced.ledger.latency[0].count()),
            static_cast<unsigned>(priced.ledger.latency[1].count())};
  }
  std::string json() {
    if (!priced.beside) priced.beside = horae::dataplane::price_beside(design, *chip);
    return priced_json(priced, 1, false).dump();
  }
};

std::vector<Price> price(const py::dict& design, const std::optional<std::string>& chip,
                         bool places) {
  auto file =
      horae::dataplane::read_design_tables(Reader(places).read(design, design_name).section());
  std::vector<Price> out;
  for (auto& c : file.cases) {
    Price& one = out.emplace_back();
    one.chip = chip_of(chip ? horae::Located<std::string>{*chip, {}} : c.chip);
    one.priced =
        horae::dataplane::price(c.design, *one.chip, horae::dataplane::PlaceEffort::whole, false);
    one.priced.undeclared = std::move(c.undeclared);
    one.design = std::move(c.design);
  }
  return out;
}

std::vector<Price> price_or_say_where(const py::dict& design,
                                      const std::optional<std::string>& chip) {
  try {
    return price(design, chip, false);
  } catch (const horae::InputError&) {
    return price(design, chip, true);
  }
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
      .def("json", &Price::json)
      .def("refused_json", [](const Price& p) { return priced_refusals_json(p.priced).dump(); });
  m.def("price", &price_or_say_where);
}
