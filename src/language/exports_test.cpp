#include "language/exports.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/text.h"
#include "catalog/builtin.h"
#include "language/grammar.h"
#include "language/names.h"
#include "language/sample.h"
#include "syntax/parser.h"

namespace uc::language {
namespace {

using testing::HasSubstr;
using testing::Not;

const Catalog& catalog() {
  static const Catalog value = builtin_catalog();
  return value;
}

// All keys of a JSON value that stand where a schema has keywords.
void keywords(const nlohmann::json& value, std::vector<std::string>& out) {
  if (value.is_array()) {
    for (const auto& item : value) keywords(item, out);
  }
  if (!value.is_object()) return;
  for (const auto& [key, inner] : value.items()) {
    out.push_back(key);
    if (key != "properties" && key != "$defs") {
      keywords(inner, out);
    } else {
      for (const auto& [name, schema] : inner.items()) keywords(schema, out);
    }
  }
}

TEST(JsonSchema, KeepsToWhatConstrainedDecodersTake) {
  std::vector<std::string> used;
  keywords(nlohmann::json::parse(json_schema(catalog())), used);
  for (const char* refused : {"if", "then", "not", "uniqueItems", "oneOf", "patternProperties"})
    EXPECT_THAT(used, Not(testing::Contains(refused)));
  EXPECT_THAT(used, testing::Contains("anyOf"));
}

TEST(Lark, KeepsToTheSharedSubset) {
  const std::string text = to_lark(grammar(catalog()));
  for (const char* refused : {"%", "(?=", "(?!", "(?<", "*?", "+?", "??"})
    EXPECT_THAT(text, Not(HasSubstr(refused)));
  EXPECT_THAT(text, HasSubstr("\nstart: "));
}

TEST(Gbnf, BreaksLinesOnlyBehindABar) {
  const std::string text = to_gbnf(grammar(catalog()));
  EXPECT_THAT(text, HasSubstr("\nroot ::= "));
  std::string_view before;
  for (const std::string_view line : split(text, '\n')) {
    const bool goes_on = starts_with(line, " ");
    EXPECT_TRUE(!goes_on || before.back() == '|') << line;
    before = line;
  }
}

TEST(Files, EveryExportHasAFileThatIsNotEmpty) {
  const auto all = files(catalog());
  const auto own = std::ranges::count_if(exports(), [](const Export& row) { return !row.file.empty(); });
  EXPECT_EQ(all.size(), 5 + static_cast<size_t>(own));
  for (const Page& page : all) EXPECT_GT(page.text.size(), 200U) << page.file;
}

/// The patterns of one part of the TextMate grammar whose match, or a group of it, has the scope.
std::vector<std::regex> coloured(const nlohmann::json& grammar, const std::string& part,
                                 const std::string& scope) {
  std::vector<std::regex> out;
  for (const auto& pattern : grammar["repository"][part]["patterns"]) {
    if (pattern.contains("match") && pattern.dump().find(scope) != std::string::npos)
      out.emplace_back(pattern["match"].get<std::string>());
  }
  return out;
}

TEST(TextMate, ColoursEveryNameOfTheCatalogAndNoOther) {
  const auto grammar = nlohmann::json::parse(textmate(catalog()));
  const auto finds = [&](const std::string& part, const std::string& scope, const std::string& text) {
    return std::ranges::any_of(coloured(grammar, part, scope),
                               [&](const std::regex& pattern) { return std::regex_search(text, pattern); });
  };
  for (const std::string& name : step_names(catalog()))
    EXPECT_TRUE(finds("names", "support.function", "y = " + name + "(x)")) << name;
  for (const std::string& name : fused_names(catalog()))
    EXPECT_TRUE(finds("names", "support.function", ">> " + name + " ()")) << name;
  for (const std::string& name : knob_names(catalog()))
    EXPECT_TRUE(finds("names", "knob", "y = f(x)." + name + "(1)")) << name;
  for (const std::string& name : dtype_names())
    EXPECT_TRUE(finds("names", "storage.type", "x: " + name)) << name;
  for (const std::string& name : attribute_names())
    EXPECT_TRUE(finds("names", "attribute", " @" + name)) << name;
  for (const std::string& word : statement_words()) {
    EXPECT_TRUE(finds("statements", "keyword.control", word + " a")) << word;
    EXPECT_FALSE(finds("statements", "keyword.control", word + " = relu(x)")) << word << " is a name there";
  }
  EXPECT_FALSE(finds("names", "support.function", "y = no_operator(x)"));
  EXPECT_FALSE(finds("names", "knob", "y = f(x).no_knob(1)"));
  EXPECT_FALSE(finds("names", "support.function", "y = relu")) << "a name of the catalog that is not called";
}

// An id is declared in a header of its layer, and a list of ids is easily forgotten.
TEST(Files, DiagnosticsHoldEveryIdThatAHeaderDeclares) {
  std::string page;
  for (const Page& each : files(catalog())) page += each.file == "diagnostics.md" ? each.text : "";
  size_t seen = 0;
  const std::regex id("\"(UC[0-9]{4})\"");
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::string(UC_SOURCE_DIR) + "/src")) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("diags") || !name.ends_with(".h")) continue;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (std::sregex_iterator at(text.begin(), text.end(), id), end; at != end; ++at, ++seen)
      EXPECT_THAT(page, HasSubstr("| " + (*at)[1].str() + " |")) << name;
  }
  EXPECT_GT(seen, 100U);
}

TEST(TreeJson, HoldsWhatWasWritten) {
  DiagSink diags;
  const ast::File tree = parse(
      "dim N = 1..8\ninput x: f32[2*N, N, 4] @col = \"a.b\"\n"
      "y = f(x, -1, k=[1, 0.5], s=\"t\", o=f32[N]).tile(8x8, {1, a}) >> g()\nreturn y\n",
      diags);
  ASSERT_FALSE(diags.has_errors());
  const auto json = nlohmann::json::parse(to_json(tree));
  const auto& decl = json["statements"][1];
  EXPECT_EQ(decl["sizes"], nlohmann::json::parse(R"([{"scale": 2, "dim": "N"}, "N", 4])"));
  EXPECT_EQ(decl["binding"], "a.b");
  const auto& step = json["statements"][2];
  EXPECT_EQ(step["knobs"],
            nlohmann::json::parse(R"([{"knob": "tile", "settings": ["8x8", {"set": [1, "a"]}]}])"));
  EXPECT_EQ(step["expr"]["args"][1]["value"], nlohmann::json::parse(R"({"minus": {"int": 1}})"));
  EXPECT_EQ(step["expr"]["args"][2],
            nlohmann::json::parse(R"({"name": "k", "value": {"list": [{"int": 1}, {"float": 0.5}]}})"));
  EXPECT_EQ(step["expr"]["args"][4]["value"], nlohmann::json::parse(R"({"dtype": "f32", "sizes": ["N"]})"));
  EXPECT_EQ(step["chain"], nlohmann::json::parse(R"([{"call": "g", "args": []}])"));
}

TEST(TreeJson, IsReadBackAsTheSameTree) {
  std::mt19937_64 engine(5);
  const Grammar table = grammar(catalog());
  int deep = 0;
  for (int i = 0; i < 500; ++i) {
    DiagSink diags;
    const std::string json = to_json(parse(sample(table, engine), diags));
    const auto program = from_json(json);
    if (!program) {
      EXPECT_THAT(program.error().message, HasSubstr("nested deeper")) << json;
      ++deep;
      continue;
    }
    EXPECT_EQ(to_json(parse(*program, diags)), json);
  }
  EXPECT_LT(deep, 100);
}

TEST(TreeJson, WhatIsNoTreeIsRefusedWithItsPlace) {
  const auto message = [](const std::string& statements) {
    const auto program = from_json(R"({"schema": "ucutlass.tree/1", "statements": [)" + statements + "]}");
    return program ? std::string("accepted") : program.error().message;
  };
  EXPECT_THAT(message(R"({"names": ["y"], "expr": {"int": -1}, "knobs": [], "chain": []})"),
              HasSubstr("statements[0].expr.int"));
  EXPECT_THAT(message(R"({"names": ["y"], "expr": {"call": "f"}, "knobs": [], "chain": []})"),
              HasSubstr("args"));
  EXPECT_THAT(message(R"({"return": ["x, y"]})"), HasSubstr("no program"));
  EXPECT_THAT(message(R"({"return": ["x +"]})"), HasSubstr("no program"));
  EXPECT_THAT(message("3"), HasSubstr("statements[0]"));
  EXPECT_EQ(message(R"({"return": ["y"]})"), "accepted");
  EXPECT_FALSE(from_json("{"));
  EXPECT_FALSE(from_json(R"({"schema": "ucutlass.tree/2", "statements": []})"));
}

}  // namespace
}  // namespace uc::language
