#include "p4_source.hpp"

#include "horae/p4lang/shipped_p4.hpp"

namespace horae::cli {

p4lang::Options P4Source::options() const {
  p4lang::Options out;
  out.include_folders = include_folders;
  out.defines = defines;
  out.target = is_tofino2() ? p4lang::Target::tofino2 : p4lang::Target::tofino;
  out.shipped = p4lang::shipped_p4;
  return out;
}

void add_p4_source(CLI::App& command, P4Source& source, const char* name) {
  command.add_option(name, source.file, "P4-16 program for TNA or T2NA")
      ->required()
      ->type_name("FILE.p4");
  command
      .add_option("-I", source.include_folders,
                  "folder for #include, before what is shipped; may be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command.add_option("-D", source.defines, "defines a macro; may be repeated")
      ->type_name("NAME[=VALUE]")
      ->allow_extra_args(false);
  command.add_option("--target", source.target, "chip: tofino (default) or tofino2")
      ->type_name("CHIP")
      ->check(CLI::IsMember({"tofino", "tofino2"}));
}

}  // namespace horae::cli
