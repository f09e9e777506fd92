#pragma once
// Why: one set of colours for pictures and pages, told apart by colour-blind readers (Okabe and Ito's
// palette) on light and on dark ground.
#include <string>

namespace uc {

/// Styles of the classes that our pictures use. Holds neither '<' nor '&'.
std::string picture_style();

/// Styles of pages, `picture_style` included.
std::string page_style();

}  // namespace uc
