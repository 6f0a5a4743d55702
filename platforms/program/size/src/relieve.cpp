#include "relieve.hpp"

namespace horae::size {

void relieve(dataplane::ChipSpec& chip, dataplane::Resource r) {
  using dataplane::Resource;
  auto& stage = chip.stage;
  switch (r) {
    case Resource::sram:
      stage.sram *= 2;
      break;
    case Resource::map_ram:
      stage.sram += stage.map_ram;
      stage.map_ram *= 2;
      chip.stateful.rams_per_row *= 2;
      break;
    case Resource::stateful_alu:
      if (chip.stateful.rams_per_row % 2 != 0) break;  // no rows half as wide
      stage.stateful_alu *= 2;
      chip.stateful.rows *= 2;
      chip.stateful.reach_rows *= 2;
      chip.stateful.rams_per_row /= 2;
      break;
    case Resource::tcam:
      stage.tcam *= 2;
      stage.ternary_tables *= 2;
      break;
    case Resource::statistics_alu:
      stage.statistics_alu *= 2;
      break;
    case Resource::gateway:
      stage.gateway *= 2;
      break;
    case Resource::vliw:
      stage.vliw *= 2;
      break;
    case Resource::logical_table:
      stage.logical_table *= 2;
      break;
    case Resource::hash_bits:
      stage.hash_bits *= 2;
      stage.hash_functions *= 2;
      break;
    case Resource::hash_dist:
      stage.hash_dist *= 2;
      break;
    case Resource::exact_xbar:
      stage.exact_xbar *= 2;
      break;
    case Resource::ternary_xbar:
      stage.ternary_xbar *= 2;
      break;
    case Resource::action_data_bus:
      stage.action_data_bus *= 2;
      break;
  }
}

}  // namespace horae::size
