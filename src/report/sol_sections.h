#pragma once
// Why: the page of a bound is a row of sections; each turns one part of the report into a table or a few
// lines.
#include "report/markup.h"
#include "report/sol_page.h"

namespace uc::page {

using markup::Element;

/// The bounds and the best time in large figures.
Element bound_cards(const SolSubject& subject);
/// Each operator: shapes, work, bytes, time, what bounds it, rules.
Element step_table(const SolReport& report);
/// Times under every way to multiply f32 data.
Element what_if_table(const SolReport& report);
/// Rules that made the least work less than the work as written; a line when there is none.
Element rule_table(const SolReport& report);
/// Measured times against both bounds.
Element time_table(const SolSubject& subject);
/// Rates of the device at both ceilings, with their source.
Element device_table(const SolSubject& subject);
/// Work of the whole, as written and at least.
Element work_table(const SolReport& report);
/// Coverage, confidence, structure.
Element trust_lines(const SolReport& report);
/// A row a subject.
Element comparison_table(std::span<const SolSubject> subjects);

}  // namespace uc::page
