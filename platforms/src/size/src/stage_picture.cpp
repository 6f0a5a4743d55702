#include "horae/size/stage_picture.hpp"

#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>

#include "horae/core/error.hpp"

#ifdef __SANITIZE_ADDRESS__
// Fontconfig keeps what it has read of fonts and configuration to the end of the program, behind
// pointers that the leak sanitizer does not recognise.
extern "C" {
const char* __lsan_default_suppressions();
const char* __lsan_default_suppressions() { return "leak:libfontconfig\n"; }
const char* __lsan_default_options();
const char* __lsan_default_options() { return "print_suppressions=0"; }
}
#endif

namespace horae::size {
namespace {

using dataplane::all_resources;
using dataplane::Amounts;
using dataplane::Gress;
using dataplane::Ledger;
using dataplane::LedgerObject;
using dataplane::Refusal;
using dataplane::Resource;

struct CairoDelete {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};
using Surface = std::unique_ptr<cairo_surface_t, CairoDelete>;
using Context = std::unique_ptr<cairo_t, CairoDelete>;
using FontOptions = std::unique_ptr<cairo_font_options_t, CairoDelete>;

void require(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  if (status == CAIRO_STATUS_INVALID_STRING) {
    throw InputError("--plot: a name in the design is no valid UTF-8");
  }
  throw ModelError(fmt::format("stage picture: {}", cairo_status_to_string(status)));
}

/// What cairo calls with the bytes of the file. No exception may pass through C.
cairo_status_t append(void* to, const unsigned char* bytes, unsigned int count) noexcept {
  try {
    static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), count);
    return CAIRO_STATUS_SUCCESS;
  } catch (...) {
    return CAIRO_STATUS_NO_MEMORY;
  }
}

struct Colour {
  double red, green, blue;
};
constexpr Colour rgb(unsigned hex) {
  return {((hex >> 16) & 255) / 255.0, ((hex >> 8) & 255) / 255.0, (hex & 255) / 255.0};
}
constexpr Colour white = rgb(0xffffff), black = rgb(0x1a1a1a), grey = rgb(0x6a6a6a);
constexpr Colour line = rgb(0xd4d4d4), frame = rgb(0x8a8a8a);
constexpr Colour unused = rgb(0xf1f1f1), partly = rgb(0xb5c7d3), wholly = rgb(0x7f9db2);
constexpr Colour beyond = rgb(0xfbe9e7), red = rgb(0xb71c1c);
/// From the palette of Okabe and Ito, told apart with any colour vision; of different lightness, so
/// that they differ in a black and white print too.
constexpr Colour gress_colour[2] = {rgb(0x7cc4ee), rgb(0xe08a00)};

enum class Align : std::uint8_t { left, centre, right };

struct Font {
  double size = 11;
  bool bold = false;
};
constexpr Font title_font{15, true}, heading{11, true}, plain{11}, small{10};

/// Rectangles and text on a cairo surface, in pixels from the upper left corner.
class Canvas {
 public:
  explicit Canvas(cairo_surface_t* surface) : context_(cairo_create(surface)) {
    require(cairo_status(context_.get()));
    // Unhinted: widths, and with them the layout, are the same for both formats and on any desktop.
    const FontOptions options(cairo_font_options_create());
    cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(context_.get(), options.get());
  }

  void fill(double x, double y, double width, double height, Colour colour) {
    cairo_set_source_rgb(context_.get(), colour.red, colour.green, colour.blue);
    cairo_rectangle(context_.get(), x, y, width, height);
    cairo_fill(context_.get());
  }

  void outline(double x, double y, double width, double height, Colour colour) {
    cairo_set_source_rgb(context_.get(), colour.red, colour.green, colour.blue);
    cairo_set_line_width(context_.get(), 1);
    cairo_rectangle(context_.get(), x + 0.5, y + 0.5, width - 1, height - 1);
    cairo_stroke(context_.get());
  }

  /// Text with the middle of its capitals at `middle`.
  void text(double x, double middle, const std::string& words, const Font& font, Align align,
            Colour colour = black) {
    if (align != Align::left) x -= width(words, font) * (align == Align::centre ? 0.5 : 1.0);
    use(font);
    cairo_set_source_rgb(context_.get(), colour.red, colour.green, colour.blue);
    // Capitals of the usual sans-serif fonts are 0.72 of the size high.
    cairo_move_to(context_.get(), x, middle + 0.36 * font.size);
    cairo_show_text(context_.get(), words.c_str());
  }

  double width(const std::string& words, const Font& font) {
    use(font);
    cairo_text_extents_t extents;
    cairo_text_extents(context_.get(), words.c_str(), &extents);
    return extents.x_advance;
  }

  /// The text, or as much of its beginning and end as goes into `room`: names of pieces differ at
  /// the end.
  std::string fitted(const std::string& words, const Font& font, double room) {
    if (width(words, font) <= room) return words;
    for (std::size_t kept = words.size(); kept-- > 1;) {
      const std::size_t tail = kept / 3;
      std::string shown = words.substr(0, begin_of_character(words, kept - tail)) + "…" +
                          words.substr(begin_of_character(words, words.size() - tail));
      if (width(shown, font) <= room) return shown;
    }
    return "…";
  }

  void finish() const { require(cairo_status(context_.get())); }

 private:
  static std::size_t begin_of_character(const std::string& words, std::size_t at) {
    while (at > 0 && at < words.size() && (static_cast<unsigned char>(words[at]) >> 6) == 2) --at;
    return at;
  }

  void use(const Font& font) {
    cairo_select_font_face(context_.get(), "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           font.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(context_.get(), font.size);
  }

  Context context_;
};

constexpr double margin = 20, title_row = 26, head_row = 22, resource_row = 23, object_row = 17;
constexpr double block_gap = 16, panel_gap = 34, legend_row = 20, right_room = 212;
/// Even for a chip of few stages: titles and legend go into it.
constexpr double least_right = 920;
constexpr double widest_page = 1600, widest_stage = 50, narrowest_stage = 26;

/// Sizes that all panels share, so that their stages stand below one another.
struct Layout {
  std::vector<Resource> resources;  ///< those that anything uses
  unsigned columns = 0;
  double names = 0;  ///< width of the names left of the grid
  double stage = 0;  ///< width of a column
  double grid() const { return margin + names; }
  double grid_end() const { return grid() + stage * columns; }
  double right() const { return std::max(grid_end() + right_room, least_right); }
  double page() const { return right() + margin; }
};

std::string capacity_text(const Ledger& ledger, Resource r) {
  return fmt::format("of {}", ledger.capacity[r]);
}

/// The first reason against an object or a piece of it ("name[3]"); none if nothing stands against
/// it.
const Refusal* refusal_of(const Ledger& ledger, const LedgerObject& object) {
  const auto found =
      std::find_if(ledger.refused.begin(), ledger.refused.end(), [&](const Refusal& r) {
        return r.object == object.name || r.object.starts_with(object.name + "[");
      });
  return found == ledger.refused.end() ? nullptr : &*found;
}

unsigned columns_of(const Ledger& ledger) {
  return std::max(ledger.chip_stages, ledger.stages_used());
}

Layout lay_out(const std::vector<Ledger>& pipelines, Canvas& canvas) {
  Layout layout;
  for (const Resource r : all_resources) {
    if (std::any_of(pipelines.begin(), pipelines.end(),
                    [&](const Ledger& ledger) { return ledger.total[r] != 0; })) {
      layout.resources.push_back(r);
    }
  }
  double names = 150;
  for (const auto& ledger : pipelines) {
    layout.columns = std::max(layout.columns, columns_of(ledger));
    for (const Resource r : layout.resources) {
      names = std::max(names, canvas.width(std::string(resource_title(r)), plain) + 16 +
                                  canvas.width(capacity_text(ledger, r), small));
    }
    for (const auto& object : ledger.objects) {
      names = std::max(names, canvas.width(object.name, small));
    }
  }
  layout.columns = std::max(layout.columns, 1u);
  layout.names = std::ceil(std::min(names, 250.0)) + 8;
  const double room = widest_page - 2 * margin - layout.names - right_room;
  layout.stage = std::clamp(std::floor(room / layout.columns), narrowest_stage, widest_stage);
  return layout;
}

/// What stands in an object's cell: RAMs, or else the next best thing that the object has there.
std::string cell_text(Canvas& canvas, const Amounts& amounts, double room) {
  const auto sram = amounts[Resource::sram], tcam = amounts[Resource::tcam];
  if (sram != 0 && tcam != 0) {
    auto both = fmt::format("{}+{}t", sram, tcam);
    return canvas.width(both, small) <= room ? both : fmt::format("{}t", tcam);
  }
  if (sram != 0) return fmt::format("{}", sram);
  constexpr std::pair<Resource, char> others[] = {{Resource::tcam, 't'},
                                                  {Resource::hash_dist, 'h'},
                                                  {Resource::gateway, 'g'},
                                                  {Resource::vliw, 'v'}};
  for (const auto& [r, letter] : others) {
    if (amounts[r] != 0) return fmt::format("{}{}", amounts[r], letter);
  }
  return {};
}

class Panel {
 public:
  Panel(const Ledger& ledger, const Layout& layout, Canvas& canvas)
      : ledger_(ledger), layout_(layout), canvas_(canvas) {
    for (const Gress gress : {Gress::ingress, Gress::egress}) {
      if (objects_in(gress) != 0) ++gresses_;
    }
  }

  double height() const { return title_row + resources_height() + block_gap + objects_height(); }

  void draw(double top) {
    title(top + title_row / 2);
    resources(top + title_row);
    objects(top + title_row + resources_height() + block_gap);
  }

 private:
  bool too_long() const { return ledger_.stages_used() > ledger_.chip_stages; }
  double resources_height() const {
    return head_row + resource_row * static_cast<double>(layout_.resources.size());
  }
  double objects_height() const {
    return head_row + object_row * static_cast<double>(ledger_.objects.size() + gresses_);
  }
  std::ptrdiff_t objects_in(Gress gress) const {
    return std::count_if(ledger_.objects.begin(), ledger_.objects.end(),
                         [&](const LedgerObject& o) { return o.gress == gress; });
  }
  double x_of(unsigned stage) const { return layout_.grid() + layout_.stage * stage; }
  double centre_of(unsigned stage) const { return x_of(stage) + layout_.stage / 2; }
  double grid_end() const { return x_of(columns_of(ledger_)); }

  void title(double middle) {
    const std::string stages = too_long() ? fmt::format("{} stages needed, the chip has {}",
                                                        ledger_.stages_used(), ledger_.chip_stages)
                                          : fmt::format("{} of {} stages used",
                                                        ledger_.stages_used(), ledger_.chip_stages);
    const std::string rest =
        fmt::format(" on {}: {}; MAU cycles: {} ingress, {} egress{}", ledger_.chip, stages,
                    ledger_.latency[0].count(), ledger_.latency[1].count(),
                    ledger_.refused.empty() ? "" : "; does not fit");
    const double room = layout_.right() - margin - canvas_.width(rest, title_font);
    canvas_.text(margin, middle, canvas_.fitted(ledger_.name, title_font, room) + rest, title_font,
                 Align::left, ledger_.refused.empty() ? black : red);
  }

  /// Numbers of the stages, and the ground and frame of a block, before anything that stands on
  /// them.
  void columns(double top, double height, std::string_view what) {
    const double middle = top + head_row / 2;
    canvas_.text(margin, middle, std::string(what), heading, Align::left);
    for (unsigned s = 0; s < columns_of(ledger_); ++s) {
      const bool used = s < ledger_.stages_used();
      const bool past = s >= ledger_.chip_stages;
      canvas_.text(centre_of(s), middle, fmt::format("{}", s), used ? heading : plain,
                   Align::centre,
                   past   ? red
                   : used ? black
                          : grey);
      canvas_.fill(x_of(s), top + head_row, layout_.stage, height - head_row,
                   past   ? beyond
                   : used ? white
                          : unused);
    }
    const double y = top + head_row;
    for (unsigned s = 1; s < columns_of(ledger_); ++s) {
      canvas_.fill(x_of(s), y, 1, height - head_row, line);
    }
    canvas_.outline(layout_.grid(), y, grid_end() - layout_.grid() + 1, height - head_row + 1,
                    frame);
  }

  /// After the chip's last stage.
  void boundary(double top, double height) {
    if (too_long()) canvas_.fill(x_of(ledger_.chip_stages) - 1, top + 3, 3, height - 2, red);
  }

  void row_line(double y) {
    canvas_.fill(layout_.grid() + 1, y, grid_end() - layout_.grid() - 1, 1, line);
  }

  void resources(double top) {
    const double height = resources_height();
    columns(top, height, layout_.resources.empty() ? "no resource is used" : "resources by stage");
    const double right = grid_end() + right_room, used_end = right - 78;
    canvas_.text(used_end, top + head_row / 2, "used / capacity", heading, Align::right);
    canvas_.text(right, top + head_row / 2, "per cent", heading, Align::right);
    double y = top + head_row;
    for (const Resource r : layout_.resources) {
      const double middle = y + resource_row / 2;
      if (y > top + head_row) row_line(y);
      canvas_.text(margin, middle, std::string(resource_title(r)), plain, Align::left);
      canvas_.text(layout_.grid() - 8, middle, capacity_text(ledger_, r), small, Align::right,
                   grey);
      for (unsigned s = 0; s < ledger_.stages_used(); ++s) amount(s, y, r);
      canvas_.text(used_end, middle,
                   fmt::format("{} / {}", ledger_.total[r],
                               ledger_.capacity[r] * std::int64_t{ledger_.stages_used()}),
                   plain, Align::right);
      canvas_.text(right, middle, fmt::format("{:.2f}", ledger_.percent_used_stages(r)), plain,
                   Align::right);
      y += resource_row;
    }
    boundary(top, height);
  }

  /// A stage's cell, filled from below as far as its resource is used.
  void amount(unsigned stage, double y, Resource r) {
    const auto used = ledger_.stages[stage][r], capacity = ledger_.capacity[r];
    if (used == 0) return;
    const double share =
        capacity > 0 ? std::min(1.0, static_cast<double>(used) / static_cast<double>(capacity))
                     : 1.0;
    const double height = (resource_row - 2) * share;
    canvas_.fill(x_of(stage) + 2, y + resource_row - height, layout_.stage - 3, height,
                 used >= capacity ? wholly : partly);
    canvas_.text(centre_of(stage), y + resource_row / 2, fmt::format("{}", used), small,
                 Align::centre);
  }

  void objects(double top) {
    const double height = objects_height();
    columns(top, height, "objects by stage");
    canvas_.text(grid_end() + 12, top + head_row / 2, "kind", heading, Align::left);
    double y = top + head_row;
    for (const Gress gress : {Gress::ingress, Gress::egress}) {
      if (objects_in(gress) == 0) continue;
      gress_heading(y, gress);
      y += object_row;
      for (const auto& object : ledger_.objects) {
        if (object.gress != gress) continue;
        row_line(y);
        row(y, object);
        y += object_row;
      }
    }
    boundary(top, height);
  }

  void gress_heading(double y, Gress gress) {
    const auto g = static_cast<std::size_t>(gress);
    canvas_.fill(layout_.grid() + 1, y + 1, grid_end() - layout_.grid() - 1, object_row - 1,
                 unused);
    if (gress == Gress::egress && gresses_ == 2) row_line(y);
    canvas_.text(margin, y + object_row / 2, g == 0 ? "ingress" : "egress", {10, true},
                 Align::left);
    canvas_.text(layout_.grid() + 8, y + object_row / 2,
                 canvas_.fitted(fmt::format("in {} stage{}", ledger_.gress_stages[g],
                                            ledger_.gress_stages[g] == 1 ? "" : "s"),
                                small, grid_end() - layout_.grid() - 16),
                 small, Align::left, grey);
  }

  void row(double y, const LedgerObject& object) {
    const double middle = y + object_row / 2;
    const Refusal* refusal = refusal_of(ledger_, object);
    // Without a reason of its own, an object that has no place waits for one that is refused.
    const bool refused =
        object.refused || refusal != nullptr || (object.parts.empty() && !ledger_.refused.empty());
    canvas_.text(margin, middle, canvas_.fitted(object.name, small, layout_.names - 8), small,
                 Align::left, refused ? red : black);
    for (const auto& part : object.parts) {
      canvas_.fill(x_of(part.stage) + 2, y + 2, layout_.stage - 3, object_row - 3,
                   gress_colour[static_cast<std::size_t>(object.gress)]);
      canvas_.text(centre_of(part.stage), middle + 0.5,
                   cell_text(canvas_, part.amounts, layout_.stage - 6), small, Align::centre);
    }
    std::string kind = object.kind;
    if (refused && !object.parts.empty()) {
      kind += refusal == nullptr ? ": refused" : ": refused, " + refusal->resource;
    }
    canvas_.text(grid_end() + 12, middle, canvas_.fitted(kind, small, right_room - 12), small,
                 Align::left, refused ? red : grey);
    if (!object.parts.empty()) return;
    const std::string why = refusal != nullptr ? "refused: " + refusal->why
                            : object.refused   ? "refused"
                            : refused          ? "not placed: waits for what is refused"
                                               : "needs no stage";
    canvas_.text(layout_.grid() + 8, middle,
                 canvas_.fitted(why, small, grid_end() - layout_.grid() - 16), small, Align::left,
                 refused ? red : grey);
  }

  const Ledger& ledger_;
  const Layout& layout_;
  Canvas& canvas_;
  std::size_t gresses_ = 0;  ///< that have objects
};

/// What colours and letters mean, in as many rows as the page's width makes necessary. With `paint`
/// false it is only measured. Returns its height.
double legend(Canvas& canvas, const Layout& layout, double top, bool beyond_chip, bool paint) {
  struct Entry {
    std::string words;
    const Colour* colour = nullptr;  ///< of the box before it, if any
    double filled = 1;
  };
  std::vector<Entry> entries = {{"part of the stage's capacity used", &partly, 0.55},
                                {"all used", &wholly},
                                {"stage unused", &unused},
                                {"ingress object", &gress_colour[0]},
                                {"egress object", &gress_colour[1]}};
  if (beyond_chip) entries.push_back({"stages that the chip does not have", &beyond});
  entries.push_back(
      {"Number in an object's cell: SRAM blocks (t: TCAM blocks); of what has neither, h: hash "
       "distribution units, g: gateways or v: VLIW instructions"});
  entries.push_back({"Totals are over the stages used"});
  constexpr double box = 26, box_height = 13, gap = 22;
  double x = margin, middle = top + legend_row / 2;
  for (const auto& entry : entries) {
    const double mark = entry.colour == nullptr ? 0 : box + 6;
    const double width = mark + canvas.width(entry.words, small);
    if (x > margin && x + width > layout.right()) {
      x = margin;
      middle += legend_row;
    }
    if (paint) {
      if (entry.colour != nullptr) {
        const double y = middle - box_height / 2, height = box_height * entry.filled;
        canvas.fill(x, y + box_height - height, box, height, *entry.colour);
        canvas.outline(x, y, box, box_height, frame);
      }
      canvas.text(x + mark, middle, entry.words, small, Align::left);
    }
    x += width + gap;
  }
  return middle + legend_row / 2 - top;
}

/// Draws everything, or with `paint` false only measures it. Returns the height of the page.
double draw_page(const std::vector<Ledger>& pipelines, const Layout& layout, Canvas& canvas,
                 bool paint) {
  double y = margin;
  bool beyond_chip = false;
  for (const auto& ledger : pipelines) {
    Panel panel(ledger, layout, canvas);
    if (paint) panel.draw(y);
    y += panel.height() + panel_gap;
    beyond_chip = beyond_chip || ledger.stages_used() > ledger.chip_stages;
  }
  y -= pipelines.empty() ? 0 : panel_gap - block_gap;
  return y + legend(canvas, layout, y, beyond_chip, paint) + margin;
}

/// The same for every picture: cairo numbers the surfaces of a process.
void drop_surface_number(std::string& svg) {
  constexpr std::string_view before = " id=\"surface";
  const auto from = svg.find(before);
  if (from == std::string::npos) return;
  svg.erase(from, svg.find('"', from + before.size()) + 1 - from);
}

Surface checked(cairo_surface_t* created) {
  Surface surface(created);
  require(cairo_surface_status(surface.get()));
  return surface;
}

}  // namespace

PictureFormat picture_format(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".svg") return PictureFormat::svg;
  if (ending == ".png") return PictureFormat::png;
  throw InputError(fmt::format("--plot {}: expected a name ending in .svg or .png", path));
}

std::string stage_picture(const std::vector<Ledger>& pipelines, PictureFormat format) {
  Layout layout;
  double height = 0;
  {
    const Surface scratch = checked(cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1));
    Canvas canvas(scratch.get());
    layout = lay_out(pipelines, canvas);
    height = std::ceil(draw_page(pipelines, layout, canvas, false));
    canvas.finish();
  }
  const double width = std::ceil(layout.page());
  constexpr double most = 32767;  // pixels of a cairo image, either way
  if (format == PictureFormat::png && (width > most || height > most)) {
    throw InputError(fmt::format(
        "--plot: {:.0f} x {:.0f} pixels are more than a PNG can have ({:.0f}); expected a name "
        "ending in .svg",
        width, height, most));
  }

  std::string bytes;  // outlives the surface, which may write until it is gone
  const Surface surface =
      checked(format == PictureFormat::svg
                  ? cairo_svg_surface_create_for_stream(append, &bytes, width, height)
                  : cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width),
                                               static_cast<int>(height)));
  if (format == PictureFormat::svg) {
    cairo_svg_surface_set_document_unit(surface.get(), CAIRO_SVG_UNIT_PX);
  }
  {
    Canvas canvas(surface.get());
    canvas.fill(0, 0, width, height, white);
    draw_page(pipelines, layout, canvas, true);
    canvas.finish();
  }
  if (format == PictureFormat::png) {
    require(cairo_surface_write_to_png_stream(surface.get(), append, &bytes));
  }
  cairo_surface_finish(surface.get());
  require(cairo_surface_status(surface.get()));
  if (format == PictureFormat::svg) drop_surface_number(bytes);
  return bytes;
}

}  // namespace horae::size
