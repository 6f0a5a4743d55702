"""The C++ around a block, and what CMake has to know of it."""
import json

WRAPPER = """// Made by scripts/rtl from {file}.
#include "VBlock_{name}.h"
#include "horae/rtl/ordering_block.hpp"
#include "verilated_model.hpp"

namespace horae::rtl {{
namespace {{

class Block_{name} final : public VerilatedModel<VBlock_{name}, OrderingTop> {{
 public:
  using VerilatedModel::VerilatedModel;

  void clock(const OrderingInputs& in) override {{
    auto& m = model();
{inputs}
    edge(m.{clock});
  }}

  OrderingOutputs outputs() const override {{
    const auto& m = model();
    return {{{outputs}}};
  }}
}};

}}  // namespace

std::unique_ptr<OrderingTop> make_block_{name}(std::uint32_t seed);
std::unique_ptr<OrderingTop> make_block_{name}(std::uint32_t seed) {{
  return std::make_unique<Block_{name}>(seed);
}}

}}  // namespace horae::rtl
"""
INPUTS = {"reset": "reset", "request_valid": "request_valid", "request_connection": "connection", "request_psn": "psn",
          "request_head": "head", "request_last": "last", "request_close": "close", "response_ready": "response_ready"}
OUTPUTS = {"request_ready": ("request_ready", True), "response_valid": ("response_valid", True),
           "response_tracking": ("tracking", False), "response_rejection": ("rejection", False),
           "response_advanced": ("advanced", False), "response_expected": ("expected", False),
           "response_completed": ("completed", True)}


def text(block):
    inputs = [f"m.{pin} = {value};" for pin, value in block.constants.items()]
    for role, value in INPUTS.items():
        if role in block.pins:
            pin = block.pins[role]
            inputs.append(f"m.{pin.removeprefix('!')} = {'!' if pin.startswith('!') else ''}in.{value};")
    outputs = []
    for role, (value, flag) in OUTPUTS.items():
        pin = block.pins.get(role)
        if pin is None:
            if role == "request_ready":
                outputs.append(".request_ready = true")
            continue
        read = f"m.{pin.removeprefix('!')}"
        if flag:
            read += " == 0" if pin.startswith("!") else " != 0"
        outputs.append(f".{value} = {read}")
    return WRAPPER.format(file=block.file, name=block.name, clock=block.pins["clock"].removeprefix("!"),
                          inputs="\n".join("    " + line for line in inputs), outputs=",\n            ".join(outputs))


def cmake(block, connections):
    def listed(words):
        return " ".join('"' + str(word).replace("\\", "\\\\").replace('"', '\\"') + '"' for word in words)

    def flag(role):
        return str(role in block.pins).lower()

    entry = (f'      {{.name = "{block.name}",\\n       .refused = "",\\n       .model = {json.dumps(block.model)},\\n'
             f'       .connections = {connections},\\n       .closes = {flag("request_close")},\\n'
             f'       .rejects = {flag("response_rejection")},\\n       .completes = {flag("response_completed")},\\n'
             f'       .make = make_block_{block.name}}},\\n').replace('"', '\\"')
    return (f"# Made by scripts/rtl from {block.file}.\nset(block_name {block.name})\nset(block_top {block.top})\n"
            f"set(block_sources {listed(block.paths(block.sources))})\nset(block_args {listed(block.arguments())})\n"
            f'set(block_entry "{entry}")\n')
