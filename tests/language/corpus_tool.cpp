// Writes, samples and tries corpora: what the tests of other parsers need of ours, many programs a process.
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <iterator>

#include "base/text.h"
#include "catalog/builtin.h"
#include "corpus.h"
#include "language/exports.h"
#include "language/grammar.h"
#include "language/sample.h"
#include "syntax/parser.h"

namespace {

constexpr std::string_view kUsage =
    "uc_corpus write FOLDER         valid.txt and broken.txt, from the catalog\n"
    "uc_corpus sample COUNT SEED    random programs of the grammar's table\n"
    "uc_corpus parse < CORPUS       a line for each program: ok, or the ids of its errors\n"
    "uc_corpus trees < CORPUS       a line for each program: its tree as JSON\n";

std::string standard_input() { return {std::istreambuf_iterator<char>(std::cin), {}}; }

int write(const std::string& folder) {
  const uc::Catalog catalog = uc::builtin_catalog();
  const auto valid = uc::corpus::valid(catalog);
  const auto broken = uc::corpus::broken(valid);
  std::ofstream(folder + "/valid.txt", std::ios::binary) << uc::corpus::write(valid);
  std::ofstream(folder + "/broken.txt", std::ios::binary) << uc::corpus::write(broken);
  size_t checked = 0;
  for (const auto& entry : valid) checked += uc::corpus::check_errors(catalog, entry.text).empty() ? 1 : 0;
  fmt::print("{} valid programs, of which {} pass check; {} broken ones\n", valid.size(), checked,
             broken.size());
  return 0;
}

int sample(size_t count, uint64_t seed) {
  const auto grammar = uc::language::grammar(uc::builtin_catalog());
  std::mt19937_64 engine(seed);
  std::vector<uc::corpus::Entry> out;
  for (size_t i = 0; i < count; ++i) out.push_back({"sampled", uc::language::sample(grammar, engine)});
  fmt::print("{}", uc::corpus::write(out));
  return 0;
}

int each(bool trees) {
  for (const auto& entry : uc::corpus::read(standard_input())) {
    if (trees) {
      uc::DiagSink diags;
      fmt::print("{}\n", uc::language::to_json(uc::parse(entry.text, diags)));
    } else {
      const auto ids = uc::corpus::parse_errors(entry.text);
      fmt::print("{}\n", ids.empty() ? "ok" : uc::join(ids, " "));
    }
  }
  return 0;
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string> args(values + 1, values + count);
  if (args.size() == 2 && args[0] == "write") return write(args[1]);
  if (args.size() == 3 && args[0] == "sample") return sample(std::stoul(args[1]), std::stoul(args[2]));
  if (args.size() == 1 && (args[0] == "parse" || args[0] == "trees")) return each(args[0] == "trees");
  fmt::print(stderr, "{}", kUsage);
  return 2;
}
