#include "cli/sweep/problems.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

namespace uc::cli {
namespace {

constexpr std::string_view kHelp =
    "say kb59, all, level1, L1/23, a capture (.json), a PyTorch file (.py), or a folder of captures";

constexpr std::string_view kCorpusHelp =
    "captures of KernelBench are in data/kernelbench of a checkout, the list beside it: --corpus FOLDER";

std::optional<int64_t> number(std::string_view text) {
  int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

class Words {
 public:
  Words(const SweepPlaces& places, Files& files) : places_(places), files_(files) {}

  Result<> add(const std::string& word) {
    if (word.empty()) return fail("an empty word names no problem", std::string(kHelp), kUsage);
    if (word == "kb59") return add_list(places_.corpus + "/../kb59.json");
    if (word == "all") {
      for (const int64_t level : {1, 2, 3}) {
        if (auto added = add_level(level); !added) return added;
      }
      return {};
    }
    if (word.starts_with("level")) {
      if (const auto level = number(word.substr(5))) return add_level(*level);
    }
    if (const auto id = identity(word)) return add_problem(id->first, id->second);
    return add_path(word);
  }

  std::vector<SweepProblem> take() && { return std::move(out_); }

 private:
  using Level = std::map<int64_t, std::string>;  // id to the file's name without its ending

  // "L1/23" and "1/23".
  static std::optional<std::pair<int64_t, int64_t>> identity(std::string_view word) {
    if (word.starts_with('L')) word.remove_prefix(1);
    const size_t slash = word.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const auto level = number(word.substr(0, slash));
    const auto id = number(word.substr(slash + 1));
    return level && id ? std::optional(std::pair(*level, *id)) : std::nullopt;
  }

  Result<const Level*> level(int64_t which) {
    const auto known = levels_.find(which);
    if (known != levels_.end()) return &known->second;
    const std::string folder = fmt::format("{}/level{}", places_.corpus, which);
    auto names = files_.list(folder);
    if (!names) {
      Error error = names.error();
      error.help =
          fmt::format("captures of KernelBench are in data/kernelbench of a checkout: --corpus FOLDER");
      return tl::unexpected(error);
    }
    Level found;
    for (const std::string& name : *names) {
      const size_t stop = name.find('_');
      if (stop == std::string::npos || !name.ends_with(".json")) continue;
      if (const auto id = number(std::string_view(name).substr(0, stop)))
        found[*id] = name.substr(0, name.size() - 5);
    }
    return &levels_.emplace(which, std::move(found)).first->second;
  }

  Result<> add_level(int64_t which) {
    const auto found = level(which);
    if (!found) return tl::unexpected(found.error());
    for (const auto& [id, name] : **found) push(which, id, name);
    return {};
  }

  Result<> add_problem(int64_t which, int64_t id) {
    const auto found = level(which);
    if (!found) return tl::unexpected(found.error());
    const auto at = (*found)->find(id);
    if (at == (*found)->end())
      return fail(fmt::format("level {} of {} has no problem {}", which, places_.corpus, id),
                  std::string(kHelp), kUsage);
    push(which, id, at->second);
    return {};
  }

  Result<> add_list(const std::string& path) {
    const auto text = files_.read(path);
    if (!text) return fail(fmt::format("the list {} cannot be read", path), std::string(kCorpusHelp), kUsage);
    const auto json = nlohmann::json::parse(*text, nullptr, false);
    if (!json.is_object() || !json.contains("levels") || !json["levels"].is_object())
      return fail(path + R"( is not {"name": ..., "levels": {"1": [ids]}})", "see data/kb59.json");
    for (const auto& [which, ids] : json["levels"].items()) {
      const auto level = number(which);
      if (!level || !ids.is_array())
        return fail(path + ": `" + which + "` is no level", "see data/kb59.json");
      for (const auto& id : ids) {
        if (!id.is_number_integer()) return fail(path + ": ids are whole numbers", "see data/kb59.json");
        if (auto added = add_problem(*level, id.get<int64_t>()); !added) return added;
      }
    }
    return {};
  }

  Result<> add_path(const std::string& word) {
    if (!files_.exists(word))
      return fail(fmt::format("`{}` names no problem", word), std::string(kHelp), kUsage);
    if (word.ends_with(".json") || word.ends_with(".py") || files_.exists(word + "/problem.json")) {
      push({word, word, ""});
      return {};
    }
    const auto names = files_.list(word);
    if (!names) return tl::unexpected(names.error());
    std::vector<std::string> captures;
    for (const std::string& name : *names) {
      if (name.ends_with(".json")) captures.push_back(word + "/" + name);
    }
    if (captures.empty())
      return fail(fmt::format("no capture (.json) is in {}", word), std::string(kHelp), kUsage);
    std::ranges::sort(captures);
    for (const std::string& path : captures) push({path, path, ""});
    return {};
  }

  void push(int64_t which, int64_t id, const std::string& name) {
    SweepProblem out{fmt::format("L{}/{}", which, id),
                     fmt::format("{}/level{}/{}.json", places_.corpus, which, name), ""};
    const std::string source = fmt::format("{}/level{}/{}.py", places_.sources, which, name);
    if (!places_.sources.empty() && files_.exists(source)) out.source = source;
    push(std::move(out));
  }

  void push(SweepProblem problem) {
    if (std::ranges::find(out_, problem.path, &SweepProblem::path) == out_.end())
      out_.push_back(std::move(problem));
  }

  const SweepPlaces& places_;
  Files& files_;
  std::map<int64_t, Level> levels_;
  std::vector<SweepProblem> out_;
};

}  // namespace

Result<Shard> parse_shard(const std::string& text) {
  const size_t slash = text.find('/');
  const auto index = number(std::string_view(text).substr(0, slash));
  const auto count =
      slash == std::string::npos ? std::nullopt : number(std::string_view(text).substr(slash + 1));
  if (!index || !count || *count < 1 || *index < 1 || *index > *count)
    return fail(fmt::format("`{}` is no part", text), "2/8 is the second of eight parts", kUsage);
  return Shard{*index, *count};
}

Result<std::vector<SweepProblem>> sweep_problems(const std::vector<std::string>& words,
                                                 const SweepPlaces& places, Files& files) {
  Words all(places, files);
  for (const std::string& word : words) {
    if (auto added = all.add(word); !added) return tl::unexpected(added.error());
  }
  return std::move(all).take();
}

std::vector<SweepProblem> part_of(const std::vector<SweepProblem>& all, const Shard& shard) {
  std::vector<SweepProblem> out;
  for (size_t i = static_cast<size_t>(shard.index - 1); i < all.size(); i += static_cast<size_t>(shard.count))
    out.push_back(all[i]);
  return out;
}

}  // namespace uc::cli
