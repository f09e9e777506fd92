#pragma once
// Why: a store outlives the version that wrote it, so its schema has a number and only ever moves forward,
// one step at a time, each step whole or not at all.
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "platform/sqlite.h"

namespace uc::schema {

/// "uCut": tells our files from other SQLite files.
inline constexpr int64_t kApplicationId = 0x75437574;

/// Step i takes a file from schema version i to i + 1.
std::span<const std::string_view> migrations();

/// Whether the file can be read as it is: ours, and of no newer version.
Result<> readable(Database& database);

/// Brings the file to the newest version. Errors: another application's file, a newer version.
Result<> migrate(Database& database);

}  // namespace uc::schema
