#pragma once
// Why: the text of `ucutlass sol` and its pages write numbers in one way.
#include <string>
#include <string_view>

namespace uc {

/// "137 GFLOP": three significant digits with a decimal prefix.
std::string scaled(double value, std::string_view unit);

/// "256.8 µs", "2.608 ms"; "no such unit" when infinite. Text says `micro` with "us".
std::string duration(double us, std::string_view micro = "µs");

/// In a column of a table of text: "256.77 us", "2.608 ms"; two digits after the point whatever the size.
std::string column_duration(double us);

/// As on an axis: "1 µs", "20 µs", "100 ms", "1 s".
std::string round_duration(double us);

/// "1.17x"; three significant digits.
std::string times(double ratio);

/// "42 %"; "< 1 %" for what would round to nothing.
std::string percent(double share);

}  // namespace uc
