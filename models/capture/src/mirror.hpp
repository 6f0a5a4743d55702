// Frames that a switch mirrored to a collector: ERSPAN.
#pragma once

#include "horae/capture/reader.hpp"

namespace horae::capture {

/// Takes the headers of ERSPAN types I to III (draft-foschiano-erspan-03, sections 4.1 and 4.2)
/// off: `frame` becomes the mirrored Ethernet frame, of its own length. Its time stays that of the
/// capture. Whether it was one; what is not stays as it is.
bool take_off_mirror(CapturedFrame& frame);

}  // namespace horae::capture
