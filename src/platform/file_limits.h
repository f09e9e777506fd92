#pragma once
// Why: input is as large as whoever gives it likes, and one file has many names. `Files::write` follows links
// and writes into what is no regular file (a device, a pipe) as it is.
#include <cstddef>
#include <string>

namespace uc {

/// More bytes than this `Files::read` refuses (an endless device): files that the program reads are far
/// smaller.
inline constexpr size_t kMostRead = size_t{256} << 20U;

/// True when both paths lead to one regular file, by whatever links.
bool same_file(const std::string& a, const std::string& b);

}  // namespace uc
