#include "p4_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/dataplane/price/priced.hpp"
#include "horae/p4lang/compile.hpp"
#include "horae/p4price/price_program.hpp"
#include "relieve.hpp"

namespace horae::size {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0)
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
    text.remove_suffix(1);
  return text;
}

bool is_name_sign(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view take_name(std::string_view& text) {
  std::size_t n = 0;
  while (n < text.size() && is_name_sign(text[n])) ++n;
  const auto name = text.substr(0, n);
  text.remove_prefix(n);
  return name;
}

/// A number as P4 writes it, a width before it or none.
std::optional<std::int64_t> number(std::string_view text) {
  text = trimmed(text);
  while (text.size() > 2 && text.front() == '(' && text.back() == ')')
    text = trimmed(text.substr(1, text.size() - 2));
  if (const auto w = text.find('w'); w != std::string_view::npos) text = text.substr(w + 1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) base = 16;
  if (text.starts_with("0b") || text.starts_with("0B")) base = 2;
  if (base != 10) text = text.substr(2);
  std::string digits;
  std::ranges::copy_if(text, std::back_inserter(digits), [](char c) { return c != '_'; });
  std::int64_t out = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), out, base);
  if (error != std::errc{} || end != digits.data() + digits.size() || digits.empty())
    return std::nullopt;
  return out;
}

/// A number that a line defines: its name, its value, and where in the line it stands.
struct Defined {
  std::string name;
  std::int64_t value = 0;
  std::size_t from = 0, length = 0;
};

/// `#define NAME 16`, `const bit<32> NAME = 16;`
std::optional<Defined> defined_in(std::string_view line) {
  std::string_view text = line;
  if (const auto comment = text.find("//"); comment != std::string_view::npos)
    text = text.substr(0, comment);
  if (const auto comment = text.find("/*"); comment != std::string_view::npos)
    text = text.substr(0, comment);
  std::string_view left = trimmed(text);
  Defined out;
  std::string_view value;
  if (left.starts_with('#')) {
    left = trimmed(left.substr(1));
    if (take_name(left) != "define") return std::nullopt;
    left = trimmed(left);
    out.name = take_name(left);
    if (left.empty() || left.front() == '(') return std::nullopt;
    value = trimmed(left);
  } else if (left.starts_with("const ")) {
    const auto equals = left.find('='), end = left.find(';');
    if (equals == std::string_view::npos || end == std::string_view::npos || end < equals)
      return std::nullopt;
    std::string_view before = trimmed(left.substr(0, equals));
    std::size_t start = before.size();
    while (start > 0 && is_name_sign(before[start - 1])) --start;
    out.name = before.substr(start);
    value = trimmed(left.substr(equals + 1, end - equals - 1));
  }
  const auto n = number(value);
  if (!n || out.name.empty()) return std::nullopt;
  out.value = *n;
  out.from = static_cast<std::size_t>(value.data() - line.data());
  out.length = value.size();
  return out;
}

using Numbers = std::map<std::string, std::int64_t>;

/// Reads sources; puts other numbers in the place of those that they define.
class SourceReader {
 public:
  explicit SourceReader(Numbers given) : given_(std::move(given)) {}

  std::optional<std::string> read(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return std::nullopt;
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (in.bad()) return std::nullopt;
    std::string out;
    for (std::size_t from = 0; from < text.size();) {
      const auto end = std::min(text.find('\n', from), text.size());
      const std::string_view line = std::string_view(text).substr(from, end - from);
      const auto defined = defined_in(line);
      const auto given = defined ? given_.find(defined->name) : given_.end();
      if (defined) found_.emplace(defined->name, defined->value);
      if (given != given_.end()) {
        out += line.substr(0, defined->from);
        out += std::to_string(given->second);
        out += line.substr(defined->from + defined->length);
      } else {
        out += line;
      }
      if (end < text.size()) out += '\n';
      from = end + 1;
    }
    return out;
  }
  const Numbers& found() const { return found_; }

 private:
  Numbers given_, found_;
};

struct Source {
  p4lang::Program program;
  bool tofino2 = false;
  Numbers numbers;
};

p4lang::Program compile_for(const SizeRequest& request, bool tofino2, SourceReader& reader,
                            const Numbers& given) {
  p4lang::Options options;
  options.include_folders = request.p4->include_folders;
  for (const auto& define : request.p4->defines) {
    const auto at = given.find(define.substr(0, define.find('=')));
    options.defines.push_back(at == given.end() ? define
                                                : fmt::format("{}={}", at->first, at->second));
  }
  options.target = tofino2 ? p4lang::Target::tofino2 : p4lang::Target::tofino;
  options.shipped = p4lang::shipped_p4;
  options.read = [&](const std::string& file) { return reader.read(file); };
  return p4lang::compile(request.file, options);
}

/// Without a target the source says it by what it includes.
Source compile_source(const SizeRequest& request, const Numbers& given) {
  SourceReader reader(given);
  Source out;
  const auto& target = request.p4->target;
  if (target) {
    out.tofino2 = *target == "tofino2";
    out.program = compile_for(request, out.tofino2, reader, given);
  } else {
    try {
      out.program = compile_for(request, false, reader, given);
      out.tofino2 = out.program.architecture == "t2na";
      if (out.tofino2) out.program = compile_for(request, true, reader, given);
    } catch (const p4lang::ProgramError& first) {
      try {
        out.program = compile_for(request, true, reader, given);
        out.tofino2 = true;
      } catch (const p4lang::ProgramError&) {
        throw first;
      }
    }
  }
  out.numbers = reader.found();
  for (const auto& define : request.p4->defines) {
    const auto equals = define.find('=');
    if (equals == std::string::npos) continue;
    if (const auto n = number(std::string_view(define).substr(equals + 1)))
      out.numbers[define.substr(0, equals)] = *n;
  }
  return out;
}

/// The overrides of a request.
Numbers overrides_of(const SizeRequest& request) {
  Numbers out;
  for (const auto& text : request.overrides) {
    const auto equals = text.find('=');
    const auto n = equals == std::string::npos ? std::nullopt
                                               : number(std::string_view(text).substr(equals + 1));
    if (!n || *n < 0)
      throw InputError(fmt::format("--set {}: expected NAME=NUMBER of a P4 source", text));
    out[text.substr(0, equals)] = *n;
  }
  return out;
}

/// Sizes among the overrides; what names neither a size nor a number of the source is refused.
p4price::Sizes sizes_given(const Source& source, const Numbers& overrides,
                           const std::string& file) {
  p4price::Sizes out;
  std::vector<std::string> names;
  const auto sized = p4price::sizes_of(source.program);
  for (const auto& s : sized) names.push_back(s.name);
  for (const auto& [name, value] : source.numbers) names.push_back(name);
  for (const auto& [name, value] : overrides) {
    const bool size = std::ranges::find(sized, name, &p4price::Sized::name) != sized.end();
    if (size)
      out[name] = static_cast<std::uint64_t>(value);
    else if (!source.numbers.contains(name))
      throw InputError(fmt::format("--set {}: no number, table or register of {}{}", name, file,
                                   suggestion(name, names)));
  }
  return out;
}

SizedDesign size_pipe(p4price::PipeDesign pipe, const SizeRequest& request,
                      const dataplane::ChipSpec& chip, bool alone) {
  SizedDesign out;
  auto priced = dataplane::price(pipe.design, chip, request.effort, request.beside);
  out.ledger = std::move(priced.ledger);
  out.beside = std::move(priced.beside);
  out.by_hand = false;
  out.copies = alone ? chip.pipelines : 1;
  SourceAccount account;
  for (const auto& object : pipe.design.objects) account.places.push_back(object.where.text());
  const auto chain = p4price::longest_chain(pipe);
  account.chain_stages = chain.empty() ? 0 : 1;
  for (const auto& link : chain) {
    account.chain.push_back(p4price::link_text(link));
    account.chain_stages += needs_later_stage(link.kind) ? 1 : 0;
  }
  for (const auto& n : pipe.notes) account.notes.push_back({n.object, n.text, n.where.text()});
  account.design = std::move(pipe.design);
  out.source = std::move(account);
  return out;
}

}  // namespace

std::vector<SizedDesign> size_p4(const SizeRequest& request) {
  const Numbers overrides = overrides_of(request);
  const Source source = compile_source(request, overrides);
  const auto sizes = sizes_given(source, overrides, request.file);
  const std::string by_target = source.tofino2 ? "tofino2" : "tofino1";
  auto chip = dataplane::ChipSpec::find({request.chip.value_or(by_target), {}});
  if (request.relieved) relieve(chip, *request.relieved);
  auto pipes = p4price::designs_of(source.program, chip, sizes);
  const bool alone = pipes.size() == 1;
  std::vector<SizedDesign> out;
  for (auto& pipe : pipes) out.push_back(size_pipe(std::move(pipe), request, chip, alone));
  return out;
}

std::vector<Adjustable> p4_adjustables(const SizeRequest& request, std::int64_t largest) {
  const Numbers overrides = overrides_of(request);
  const Source source = compile_source(request, overrides);
  const auto sized = p4price::sizes_of(source.program);
  std::vector<Adjustable> out;
  const auto add = [&](const std::string& key, std::int64_t value, const std::string& object) {
    Adjustable a;
    a.key = key;
    a.value = value;
    a.most = std::max(largest, value);
    a.object = object;
    out.push_back(std::move(a));
  };
  // A number of the source counts if a size changes with it.
  for (const auto& [name, value] : source.numbers) {
    if (value < 1) continue;
    Numbers other = overrides;
    other[name] = value + 1;
    try {
      const auto changed = p4price::sizes_of(compile_source(request, other).program);
      for (std::size_t i = 0; i < sized.size() && i < changed.size(); ++i) {
        if (changed[i].size == sized[i].size) continue;
        add(name, overrides.contains(name) ? overrides.at(name) : value, sized[i].name);
        break;
      }
    } catch (const InputError&) {
      continue;  // no program with it
    }
  }
  for (const auto& s : sized) {
    const auto given = overrides.find(s.name);
    add(s.name, given == overrides.end() ? static_cast<std::int64_t>(s.size) : given->second,
        s.name);
  }
  return out;
}

}  // namespace horae::size
