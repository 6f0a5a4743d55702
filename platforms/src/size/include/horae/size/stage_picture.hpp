// The stages of a pipeline as a picture: what each gives, and which objects lie in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "horae/dataplane/ledger.hpp"

namespace horae::size {

enum class PictureFormat : std::uint8_t { svg, png };

/// The format that a file's name asks for. InputError for an ending other than .svg or .png.
PictureFormat picture_format(const std::string& path);

/// The bytes of a picture with one panel per ledger: resources by stage, below them objects by
/// stage. The same ledgers and fonts give the same bytes. InputError when it is larger than the
/// format can be.
std::string stage_picture(const std::vector<dataplane::Ledger>& pipelines, PictureFormat format);

}  // namespace horae::size
