#pragma once
// Why: where a problem lies under its device's ceilings shows at a glance what limits it.
#include <string>

#include "report/sol_page.h"

namespace uc {

/// Work that is plotted against bytes and time.
struct PlottedWork {
  double operations = 0;  ///< FLOPs of contractions, else scalar operations (a multiply-add counts 2)
  bool scalar = false;    ///< the latter
  double bytes = 0;
  double intensity() const { return bytes > 0 ? operations / bytes : 0; }
};

/// Of the whole: the work behind the certified bound, bytes as that bound counts them.
PlottedWork plotted_whole(const SolReport& report);
PlottedWork plotted_step(const SolStep& step);

/// Operations a second against operations a byte, both logarithmic: ceilings, the whole with its bounds and
/// times, operators by share. `id` is unique in the page.
markup::Element roofline_picture(const SolSubject& subject, const std::string& id);

/// What the picture cannot show, for the caption; empty when it shows all.
std::string roofline_note(const SolReport& report);

/// Bars: each level at both ceilings, then measured times.
markup::Element ladder_picture(const SolSubject& subject);

}  // namespace uc
