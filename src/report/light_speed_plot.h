#pragma once
// Why: the picture alone and the page share it.
#include "report/light_speed.h"
#include "report/markup.h"

namespace uc {

/// `alone`: with ground, title and caption, which a page has by itself.
markup::Element light_speed_picture(const LightSpeed& data, bool alone);

/// "one NVIDIA H200", what is measured, what is bound: lines of a caption.
std::vector<std::string> light_speed_caption(const LightSpeed& data);
std::string light_speed_title(const LightSpeed& data);
std::string light_speed_summary(const LightSpeed& data);

}  // namespace uc
