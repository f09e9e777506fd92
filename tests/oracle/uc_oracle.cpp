// Writes programs whose kernels CUTLASS shall judge (oracle.py compiles and runs them):
//   uc_oracle rules FOLDER              both examples of every rule on contractions
//   uc_oracle smem FOLDER               the grid of tiles and epilogues of smem_cases.h
//   uc_oracle files FOLDER PROGRAM.uc...
//   uc_oracle random FOLDER SEED ACCEPTED REJECTED   random programs of the whole space of knobs
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "catalog/builtin.h"
#include "random_programs.h"
#include "smem_cases.h"
#include "trial.h"

namespace {

using uc::oracle::make_trial;
using uc::oracle::Trial;

std::vector<Trial> rules(const uc::Catalog& catalog) {
  std::vector<Trial> out;
  for (const uc::RuleSpec* rule : catalog.rules()) {
    if (rule->caught_by == uc::CaughtBy::unstated) continue;
    out.push_back(make_trial(catalog, std::string(rule->id) + "_bad", rule->bad_example));
    out.push_back(make_trial(catalog, std::string(rule->id) + "_good", rule->good_example));
  }
  return out;
}

std::vector<Trial> smem(const uc::Catalog& catalog) {
  std::vector<Trial> out;
  for (const auto& epilogue : uc::oracle::kEpilogues) {
    for (const auto& tile : uc::oracle::kTiles)
      out.push_back(make_trial(catalog, uc::oracle::case_name(epilogue, tile),
                               uc::oracle::case_source(epilogue, tile)));
  }
  return out;
}

std::vector<Trial> files(const uc::Catalog& catalog, const std::vector<std::string>& paths) {
  std::vector<Trial> out;
  for (const std::string& path : paths) {
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    out.push_back(make_trial(catalog, "file" + std::to_string(out.size()), text));
  }
  return out;
}

std::vector<Trial> random(const uc::Catalog& catalog, const std::vector<std::string>& words) {
  uc::oracle::RandomOptions options;
  options.seed = std::strtoull(words[2].c_str(), nullptr, 0);  // 0x...: the beginning of a commit
  options.accepted = std::strtoull(words[3].c_str(), nullptr, 10);
  options.rejected = std::strtoull(words[4].c_str(), nullptr, 10);
  std::vector<Trial> out;
  for (const auto& program : uc::oracle::random_programs(catalog, options))
    out.push_back(make_trial(catalog, program.name, program.source));
  return out;
}

int usage() {
  std::fputs(
      "usage: uc_oracle rules|smem FOLDER\n       uc_oracle files FOLDER PROGRAM.uc...\n"
      "       uc_oracle random FOLDER SEED ACCEPTED REJECTED\n",
      stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 2) return usage();
  const uc::Catalog catalog = uc::builtin_catalog();
  std::vector<Trial> trials;
  if (words[0] == "rules") {
    trials = rules(catalog);
  } else if (words[0] == "smem") {
    trials = smem(catalog);
  } else if (words[0] == "files") {
    trials = files(catalog, {words.begin() + 2, words.end()});
  } else if (words[0] == "random" && words.size() == 5) {
    trials = random(catalog, words);
  } else {
    return usage();
  }
  if (!uc::oracle::write_trials(trials, words[1])) {
    std::fprintf(stderr, "cannot write %s\n", words[1].c_str());
    return 1;
  }
  std::printf("%zu programs in %s\n", trials.size(), words[1].c_str());
  return 0;
}
