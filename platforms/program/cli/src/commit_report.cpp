#include "horae/cli/commit_report.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace horae::cli {

void commit(results::ResultFolder& folder) {
  folder.commit();
  if (folder.replaced())
    fmt::print(stderr, "horae: the earlier result in {} was replaced\n", folder.name());
}

std::string commit_report(const std::string& folder) {
  const auto has = [&folder](const char* file) {
    std::error_code error;
    return std::filesystem::exists(std::filesystem::path(folder) / file, error);
  };
  std::string line = fmt::format(
      "results in {}; `scripts/report {} -o report.html` makes a page of them", folder, folder);
  if (has("trace.json")) line += "; trace.json opens in ui.perfetto.dev";
  if (has("transactions.txlog")) line += "; transactions.txlog opens in SCViewer";
  if (has("transactions.ftr")) line += "; transactions.ftr opens in SCViewer";
  if (has("waves.vcd")) line += "; waves.vcd opens in GTKWave";
  if (has("ports")) line += "; ports/*.pcap open in Wireshark";
  return line;
}

}  // namespace horae::cli
