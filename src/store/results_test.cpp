#include "store/results.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "base/text.h"
#include "platform/files.h"
#include "store/base64.h"
#include "store/foreign.h"
#include "store/json_keys.h"
#include "store/schema.h"

namespace uc::results {
namespace {

using ::testing::HasSubstr;

TEST(Base64, IsThatOfTheStandard) {
  // RFC 4648, section 10.
  const std::pair<const char*, const char*> known[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : known) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
  EXPECT_EQ(to_base64("\xff\xfe"), "//4=");
  for (const char* bad : {"Zg", "Zg=", "Z===", "Zh==", "Zg==Zg==", "Z!==", "===="})
    EXPECT_FALSE(from_base64(bad)) << bad;
}

TEST(RepeatedKey, IsOneOfTheSameObject) {
  EXPECT_EQ(repeated_key(R"({"a": 1, "b": {"a": 2}, "c": [{"a": 1}, {"a": 2}]})"), std::nullopt);
  EXPECT_EQ(repeated_key(R"({"a": 1, "b": [{"x": 1, "x": 1}]})"), "x");
  EXPECT_EQ(repeated_key("{not json"), std::nullopt);
}

class ResultsTest : public ::testing::Test {
 protected:
  void SetUp() override { folder_ = real_files().make_temporary_folder("uc-results-").value(); }
  void TearDown() override { (void)real_files().remove(folder_); }

  std::unique_ptr<Store> open(const std::string& name) {
    auto store = Store::open(folder_ + "/" + name, clock_);
    EXPECT_TRUE(store) << store.error().message;
    return std::move(*store);
  }

  // Two runs with everything in them that is hard to carry.
  void fill(Store& store) {
    RunRecord work;
    work.problem = "23_Softmax";
    work.problem_hash = "h";
    work.options = R"({"attempts":3,"problem":"p"})";
    work.device = "h200";
    work.summary = "{\n  \"best\": null\n}\n";
    const RunRecord first = store.begin_run(work).value();
    clock_.advance(std::chrono::seconds(1));
    work.problem = "other \"quoted\" \xc3\xbc\n";
    const RunRecord second = store.begin_run(work).value();
    ASSERT_TRUE(store.set_state(second.id, RunState::interrupted));
    for (const int64_t number : {1, 2, 3}) {
      AttemptRecord each;
      each.run = first.id;
      each.number = number;
      each.parent = number - 1;
      each.proposer = "search";
      each.program = "x = 1\n";
      each.message = std::string("byte \xff and \0 nul", 15);
      each.label = number == 2 ? "gaming" : "ok";
      each.time_kind = number == 3 ? TimeKind::modelled : TimeKind::measured;
      each.time_us = 0.1 * static_cast<double>(number);
      each.expected_speedup = std::numeric_limits<double>::infinity();
      each.started = 1767225600.123456789;
      ASSERT_TRUE(store.record(each));
    }
    LessonRecord lesson;
    lesson.run = first.id;
    lesson.text = "split-k helps";
    lesson.observed = 1.0 / 3;
    ASSERT_TRUE(store.add_lesson(lesson));
    lesson.text = "a second one";
    ASSERT_TRUE(store.add_lesson(lesson));
    ExchangeRecord exchange;
    exchange.run = first.id;
    exchange.number = 1;
    exchange.attempt = 2;
    exchange.response = R"({"a": [1, 2]})";
    exchange.prompt_tokens = 9007199254740993;  // no double holds it
    exchange.estimated = true;
    ASSERT_TRUE(record_exchange(store, exchange));
  }

  static std::string text_of(Store& store) {
    auto runs = store.runs(1000).value();
    std::ranges::reverse(runs);
    return write(collect(store, runs).value());
  }

  FakeClock clock_;
  std::string folder_;
};

TEST_F(ResultsTest, WhatIsExportedImportedAndExportedAgainIsTheSameText) {
  const auto from = open("a.db");
  fill(*from);
  const std::string text = text_of(*from);
  EXPECT_THAT(text, HasSubstr("9007199254740993"));
  EXPECT_THAT(text, HasSubstr("base64"));
  const auto to = open("b.db");
  const auto bundles = read(text, "a.jsonl");
  ASSERT_TRUE(bundles) << bundles.error().message;
  const Added added = add(*to, *bundles, {"a.jsonl"}).value();
  EXPECT_EQ(added.added, 2U);
  EXPECT_EQ(text_of(*to), text);
  // And what the text stands for is there.
  const auto run = to->runs(10).value().back();
  EXPECT_EQ(run.imported, "a.jsonl");
  const auto attempts = to->attempts(run.id).value();
  ASSERT_EQ(attempts.size(), 3U);
  EXPECT_EQ(attempts[0].message, std::string("byte \xff and \0 nul", 15));
  EXPECT_EQ(attempts[2].time_us, 0.1 * 3.0);
  EXPECT_EQ(exchanges_of(*to, run.id).value().front().prompt_tokens, 9007199254740993);
  // Twice is once.
  EXPECT_EQ(add(*to, *bundles, {"a.jsonl"}).value().same, 2U);
}

TEST_F(ResultsTest, WhatWasImportedStandsInForNoWorkOfOurs) {
  const auto from = open("a.db");
  fill(*from);
  const std::string id = from->runs(10).value().back().id;
  ASSERT_TRUE(from->set_state(id, RunState::done));
  ASSERT_TRUE(from->find_finished("h", R"({"attempts":3,"problem":"p"})").value());
  const auto bundles = read(text_of(*from), "a").value();
  const auto unproven = open("b.db");
  ASSERT_TRUE(add(*unproven, bundles, {"a"}));
  EXPECT_FALSE(unproven->find_finished("h", R"({"attempts":3,"problem":"p"})").value());
  EXPECT_FALSE(unproven->find_unfinished("h", R"({"attempts":3,"problem":"p"})").value());
  EXPECT_TRUE(unproven->lessons("", 10).value().empty());
  const auto own = open("c.db");
  ASSERT_TRUE(add(*own, bundles, {""}));
  EXPECT_TRUE(own->find_finished("h", R"({"attempts":3,"problem":"p"})").value());
  EXPECT_EQ(own->lessons("", 10).value().size(), 2U);
}

TEST_F(ResultsTest, OtherContentsAreRefusedOrReplacedAndNothingIsHalfDone) {
  const auto from = open("a.db");
  fill(*from);
  auto bundles = read(text_of(*from), "a").value();
  const auto to = open("b.db");
  ASSERT_TRUE(add(*to, std::span(bundles).last(1), {"a"}));
  bundles.back().run.summary = "{}";
  const auto refused = add(*to, bundles, {"a"});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("other contents"));
  EXPECT_EQ(to->runs(10).value().size(), 1U) << "the first run went in though the second could not";
  const Added replaced = add(*to, bundles, {"a", true}).value();
  EXPECT_EQ(replaced.replaced, 1U);
  EXPECT_EQ(replaced.added, 1U);
  EXPECT_EQ(to->find_run(bundles.back().run.id)->summary, "{}");
}

TEST_F(ResultsTest, DamagedTextsAreRefusedWithTheirPlace) {
  const auto from = open("a.db");
  fill(*from);
  const std::string text = text_of(*from);
  const auto fault = [](const std::string& damaged) {
    const auto got = read(damaged, "f");
    return got ? std::string("it was read") : got.error().message;
  };
  // Cut anywhere, it is never taken for whole.
  for (size_t size = 0; size + 1 < text.size(); size += 1 + text.size() / 97)
    EXPECT_NE(fault(text.substr(0, size)), "it was read") << size;
  std::vector<std::string> lines;
  for (const auto line : split(trim(text), '\n')) lines.emplace_back(line);
  for (size_t i = 0; i < lines.size(); ++i) {  // a line is missing, or twice
    auto fewer = lines;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_NE(fault(join(fewer, "\n")), "it was read") << lines[i];
    auto more = lines;
    more.insert(more.begin() + static_cast<std::ptrdiff_t>(i), lines[i]);
    EXPECT_NE(fault(join(more, "\n")), "it was read") << lines[i];
  }
  const auto with = [&](std::string_view old, std::string_view now) {
    return fault(replace_all(text, old, now));
  };
  EXPECT_THAT(with("results/1", "results/2"), HasSubstr("f:1: the first line does not say"));
  EXPECT_THAT(with("\"label\":\"gaming\"", "\"label\":\"great\""), HasSubstr("`label` is none of ok, minor"));
  EXPECT_THAT(with("\"label\":\"gaming\",", ""), HasSubstr("`label` is missing"));
  EXPECT_THAT(with("\"label\":\"gaming\"", "\"label\":\"ok\",\"label\":\"ok\""),
              HasSubstr("`label` stands there twice"));
  EXPECT_THAT(with("\"label\":\"gaming\"", "\"label\":\"ok\",\"more\":1"), HasSubstr("no field `more`"));
  EXPECT_THAT(with("\"state\":\"running\"", "\"state\":\"lost\""),
              HasSubstr("`state` is not what it should be"));
  EXPECT_THAT(with("\"number\":2,", "\"number\":\"2\","), HasSubstr("`number` is not what it should be"));
  EXPECT_THAT(with("\"number\":3,", "\"number\":2,"), HasSubstr("`parent` is no attempt before it"));
  EXPECT_THAT(with("\"number\":3,\"parent\":2", "\"number\":2,\"parent\":1"),
              HasSubstr("number 2 stands there twice"));
  EXPECT_THAT(with("\"id\":\"", "\"id\":\"../"), HasSubstr("is no id of a run"));
  EXPECT_THAT(fault("{\"schema\":\"ucutlass.results/1\",\"runs\":-1}"), HasSubstr("no number of runs"));
}

TEST_F(ResultsTest, AnOlderStoreIsExportedAsItIs) {
  for (const size_t version : {1U, 2U, 3U, 4U}) {
    const std::string path = fmt::format("{}/old-{}.db", folder_, version);
    {
      const auto database = Database::open(path).value();
      for (size_t at = 0; at < version; ++at)
        ASSERT_TRUE(database->script(std::string(schema::migrations()[at])));
      ASSERT_TRUE(database->script(fmt::format(
          "PRAGMA application_id = {}; PRAGMA user_version = {}; INSERT INTO runs "
          "(id, problem, problem_path, problem_hash, options, device, folder, version, baselines, summary, "
          "state, started, ended) VALUES "
          "('r1', 'p', '', 'h', '{{}}', 'h200', '', '0.1', '', '', 'done', 1.5, 2.5)",
          schema::kApplicationId, version)));
    }
    const auto store = Store::open_for_reading(path, clock_).value();
    const auto bundles = read(text_of(*store), "old").value();
    ASSERT_EQ(bundles.size(), 1U);
    EXPECT_EQ(bundles[0].run.ended, 2.5);
    const auto moved = Store::open(path, clock_).value();  // migrates
    EXPECT_EQ(text_of(*moved), write(bundles));
  }
}

constexpr std::string_view kKernelBench = R"({
  "1": [{"sample_id": 0, "compiled": true, "correctness": true, "metadata": {"hardware": "NVIDIA H100"},
         "runtime": 1.25, "runtime_stats": {"mean": 1.25, "num_trials": 100}},
        {"sample_id": 1, "compiled": true, "correctness": false, "metadata": {}, "runtime": -1.0, "runtime_stats": {}}],
  "23": [{"sample_id": 0, "compiled": false, "correctness": false, "metadata": {"e": "nvcc"}, "runtime": -1, "runtime_stats": {}}]})";

TEST_F(ResultsTest, KernelBenchIsReadAndProvenByNobody) {
  const auto* format = find_foreign("kernelbench");
  const auto bundles = format->read(kKernelBench, "eval_results.json", {1, {{1, "1_Square"}}});
  ASSERT_TRUE(bundles) << bundles.error().message;
  ASSERT_EQ(bundles->size(), 2U);
  const Bundle& first = bundles->front();
  EXPECT_EQ(first.run.problem, "1_Square");
  EXPECT_EQ(first.run.device, "NVIDIA H100");
  EXPECT_EQ(first.attempts[0].label, "unproven");
  EXPECT_EQ(first.attempts[0].time_kind, TimeKind::reported);
  EXPECT_EQ(first.attempts[0].time_us, 1250);  // milliseconds there
  EXPECT_THAT(first.attempts[0].timing, HasSubstr("num_trials"));
  EXPECT_EQ(first.attempts[1].label, "incorrect");
  EXPECT_EQ(first.attempts[1].time_us, 0);
  EXPECT_EQ((*bundles)[1].run.problem, "L1/23");
  EXPECT_EQ((*bundles)[1].attempts[0].label, "broken");
  // In a store, and out again, whoever says that it is to be trusted.
  const auto store = open("k.db");
  ASSERT_TRUE(add(*store, *bundles, {""}));
  EXPECT_EQ(store->runs(10).value().front().imported, "kernelbench");
  EXPECT_EQ(read(text_of(*store), "k").value().size(), 2U);
  EXPECT_EQ(add(*store, format->read(kKernelBench, "", {1, {{1, "1_Square"}}}).value(), {""}).value().same,
            2U);
}

TEST_F(ResultsTest, DamagedKernelBenchFilesAreRefused) {
  const auto fault = [](std::string_view old, std::string_view now) {
    const auto got =
        find_foreign("kernelbench")->read(replace_all(std::string(kKernelBench), old, now), "f", {1, {}});
    return got ? std::string("it was read") : got.error().message;
  };
  EXPECT_THAT(fault("\"23\"", "\"x\""), HasSubstr("`x` is no number of a problem"));
  EXPECT_THAT(fault("\"23\"", "\"1\""), HasSubstr("`1` stands there twice"));
  EXPECT_THAT(fault("\"sample_id\": 1", "\"sample_id\": 0"),
              HasSubstr("problem 1: sample 0 stands there twice"));
  EXPECT_THAT(fault("\"runtime\": 1.25, ", ""), HasSubstr("problem 1: `runtime` is missing"));
  EXPECT_THAT(fault("\"runtime\": 1.25", "\"runtime\": \"1\""), HasSubstr("`runtime`"));
  EXPECT_THAT(fault("\"compiled\": false", "\"compiled\": 0"), HasSubstr("problem 23: `compiled`"));
  EXPECT_THAT(
      fault("\"compiled\": true, \"correctness\": true", "\"compiled\": false, \"correctness\": true"),
      HasSubstr("did not compile"));
  for (const char* text : {"", "[]", "{}", "{\"1\": 3}", "{\"1\": [", "nonsense"})
    EXPECT_FALSE(find_foreign("kernelbench")->read(text, "f", {1, {}})) << text;
}

constexpr std::string_view kTraces =
    R"({"definition": "rmsnorm", "workload": {"uuid": "0123456789", "axes": {"m": 8}}, "solution": "a", "evaluation": {"status": "PASSED", "environment": {"hardware": "NVIDIA B200"}, "timestamp": "t", "correctness": {}, "performance": {"latency_ms": 0.5, "reference_latency_ms": 1, "speedup_factor": 2}}}
{"definition": "rmsnorm", "workload": {"uuid": "0123456789", "axes": {"m": 8}}, "solution": "b", "evaluation": {"status": "TIMEOUT", "environment": {"hardware": "NVIDIA B200"}, "timestamp": "t"}}
{"definition": "rmsnorm", "workload": {"uuid": "other", "axes": {"m": 9}}, "solution": null, "evaluation": null}
)";

TEST_F(ResultsTest, TracesAreReadAndProvenByNobody) {
  const auto bundles = find_foreign("sol-execbench")->read(kTraces, "t.jsonl", {});
  ASSERT_TRUE(bundles) << bundles.error().message;
  ASSERT_EQ(bundles->size(), 1U);  // a workload without a result is none
  const auto& attempts = bundles->front().attempts;
  ASSERT_EQ(attempts.size(), 2U);
  EXPECT_EQ(attempts[0].label, "unproven");
  EXPECT_EQ(attempts[0].time_us, 500);
  EXPECT_EQ(attempts[1].label, "broken");
  EXPECT_EQ(attempts[1].reason, "timed_out");
  EXPECT_EQ(bundles->front().run.device, "NVIDIA B200");
  const auto fault = [](std::string_view old, std::string_view now) {
    const auto got =
        find_foreign("sol-execbench")->read(replace_all(std::string(kTraces), old, now), "t", {});
    return got ? std::string("it was read") : got.error().message;
  };
  EXPECT_THAT(fault("PASSED", "FINE"), HasSubstr("t:1: `FINE` is no status"));
  EXPECT_THAT(fault("\"latency_ms\": 0.5, ", ""), HasSubstr("t:1: `evaluation.performance.latency_ms`"));
  EXPECT_THAT(fault("\"uuid\": \"other\", ", ""), HasSubstr("t:3: `workload.uuid` is missing"));
  EXPECT_THAT(fault("\"solution\": \"b\", ", ""), HasSubstr("t:2: `solution` is missing"));
  EXPECT_THAT(fault("\"evaluation\": null}\n", "\"evaluation\": nul"),
              HasSubstr("t:3: this is no JSON object"));
  const auto twice =
      find_foreign("sol-execbench")->read(std::string(kTraces) + std::string(kTraces), "t", {});
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().message, HasSubstr("twice"));
}

TEST(LooksLike, TellsTheFormatsApart) {
  EXPECT_EQ(looks_like(kKernelBench), "kernelbench");
  EXPECT_EQ(looks_like(kTraces), "sol-execbench");
  EXPECT_EQ(looks_like("{}"), "");
  EXPECT_EQ(looks_like("{\"graph\": {}}"), "");
}

}  // namespace
}  // namespace uc::results
