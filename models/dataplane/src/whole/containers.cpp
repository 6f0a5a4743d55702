#include "containers.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "header_paths.hpp"

namespace horae::dataplane {
namespace {

/// A piece of a field, or of neighbours in a header.
struct FieldPiece {
  std::size_t size = 0;  ///< of Containers::sizes
  int first = 0, last = 0;
  std::string header;
};

/// The smallest containers that hold so many bits.
void cut(std::int64_t bits, const FieldPiece& like, std::vector<FieldPiece>& out) {
  const auto add = [&](std::size_t size) {
    out.push_back(like);
    out.back().size = size;
  };
  for (; bits >= 32; bits -= 32) add(2);
  if (bits > 24) {
    add(2);
  } else if (bits > 16) {
    add(1);
    add(0);
  } else if (bits > 0) {
    add(bits > 8 ? 1 : 0);
  }
}

std::vector<FieldPiece> pieces_of(const std::vector<LiveField>& fields, Gress gress, bool touched) {
  std::vector<FieldPiece> out;
  FieldPiece open;  // neighbours in a header that end within a byte so far
  std::int64_t bits = 0;
  const auto close = [&] {
    cut(bits, open, out);
    bits = 0;
  };
  const auto put = [&](const LiveField& f) {
    const FieldPiece like{0, f.first, f.last, f.field->header};
    for (std::uint32_t i = 0; i < f.field->copies; ++i) {
      if (like.header.empty() || open.header != like.header || bits % 8 == 0) close();
      open = like;
      bits += f.field->bits;
    }
  };
  // Validity bits lie together, wherever they are listed.
  for (const bool valid : {false, true}) {
    for (const auto& f : fields) {
      if (f.field->gress == gress && f.touched == touched &&
          (f.field->header == valid_bits_header) == valid)
        put(f);
    }
  }
  close();
  return out;
}

class Packer {
 public:
  Packer(const HeaderPaths& paths, bool share) : paths_(paths), share_(share) {}

  void put(const FieldPiece& piece) {
    for (auto& held : containers_) {
      if (held.front().size != piece.size) continue;
      const bool free = std::ranges::none_of(
          held, [&](const FieldPiece& other) { return collide(other, piece); });
      if (!free) continue;
      held.push_back(piece);
      return;
    }
    containers_.push_back({piece});
  }

  void count(Containers& out) const {
    for (const auto& held : containers_) ++out.count[held.front().size];
  }

 private:
  /// A stage lies between two fields of one container: in the compiler's reports it is seldom less.
  bool collide(const FieldPiece& a, const FieldPiece& b) const {
    if (!a.header.empty() && !b.header.empty())
      return !paths_.exclude_each_other(a.header, b.header);
    return !share_ || (a.first <= b.last + 1 && b.first <= a.last + 1);
  }

  const HeaderPaths& paths_;
  bool share_;
  std::vector<std::vector<FieldPiece>> containers_;
};

/// The largest set of headers found of which none excludes another: some packet may have them all,
/// as far as the parser's states say, so no packing takes fewer bits.
std::int64_t header_bits(const std::map<std::string, std::int64_t>& bits,
                         const HeaderPaths& paths) {
  std::vector<std::pair<std::int64_t, std::string>> largest;
  for (const auto& [header, n] : bits) largest.emplace_back(n, header);
  std::ranges::sort(largest, [](const auto& a, const auto& b) {
    return std::tie(b.first, a.second) < std::tie(a.first, b.second);
  });
  std::vector<std::string> together;
  std::int64_t sum = 0;
  for (const auto& entry : largest) {
    const auto& header = entry.second;
    const bool excluded = std::ranges::any_of(
        together, [&](const auto& other) { return paths.exclude_each_other(header, other); });
    if (excluded) continue;
    together.push_back(header);
    sum += entry.first;
  }
  return sum;
}

}  // namespace

PackedFields pack_fields(const Design& design, const std::vector<LiveField>& fields, bool share) {
  PackedFields out;
  for (const Gress gress : {Gress::ingress, Gress::egress}) {
    const HeaderPaths paths(design, gress);
    for (const bool touched : {true, false}) {
      auto pieces = pieces_of(fields, gress, touched);
      std::ranges::stable_sort(pieces, [](const FieldPiece& a, const FieldPiece& b) {
        return std::tie(b.size, a.first) < std::tie(a.size, b.first);
      });
      Packer packer(paths, share);
      for (const auto& piece : pieces) packer.put(piece);
      packer.count(touched ? out.touched : out.aside);
    }
  }
  return out;
}

std::int64_t live_bits(const Design& design, const std::vector<LiveField>& fields, bool all,
                       const ChipSpec& chip) {
  std::int64_t sum = 0;
  for (const Gress gress : {Gress::ingress, Gress::egress}) {
    std::map<std::string, std::int64_t> headers;
    std::vector<std::int64_t> metadata(chip.stages + 1);
    for (const auto& f : fields) {
      if (f.field->gress != gress || (!all && !f.touched)) continue;
      const std::int64_t bits = std::int64_t{f.field->bits} * f.field->copies;
      if (!f.field->header.empty()) {
        headers[f.field->header] += bits;
        continue;
      }
      for (int s = std::max(f.first, 0); s <= std::min<int>(f.last, static_cast<int>(chip.stages));
           ++s)
        metadata[static_cast<std::size_t>(s)] += bits;
    }
    sum += header_bits(headers, HeaderPaths(design, gress)) + std::ranges::max(metadata);
  }
  return sum;
}

}  // namespace horae::dataplane
