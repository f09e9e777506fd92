#include "store/store.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/files.h"
#include "store/schema.h"

namespace uc {
namespace {

using testing::HasSubstr;

class StoreTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = real_files().make_temporary_folder("uc-store-").value();
    path_ = folder_ + "/runs.db";
  }
  void TearDown() override { (void)real_files().remove(folder_); }

  std::unique_ptr<Store> open() {
    auto store = Store::open(path_, clock_);
    EXPECT_TRUE(store) << store.error().message;
    return std::move(*store);
  }
  static RunRecord work(std::string hash = "h1", std::string options = "{}") {
    RunRecord run;
    run.problem = "L2_76";
    run.problem_hash = std::move(hash);
    run.options = std::move(options);
    run.device = "h200";
    return run;
  }
  static AttemptRecord attempt(const std::string& run, int64_t number) {
    AttemptRecord out;
    out.run = run;
    out.number = number;
    out.parent = number - 1;
    out.proposer = "search";
    out.program = "target sm_90a\n# ü \"quoted\" 'n' " + std::to_string(number);
    out.program_hash = "abc" + std::to_string(number);
    out.label = "ok";
    out.time_kind = TimeKind::measured;
    out.time_us = 12.5 * static_cast<double>(number);
    out.timing = R"({"gpu_us":12.5})";
    return out;
  }

  FakeClock clock_;
  std::string folder_, path_;
};

TEST_F(StoreTest, KeepsRunsAndAttemptsAcrossOpenings) {
  std::string id;
  {
    auto store = open();
    id = store->begin_run(work()).value().id;
    ASSERT_TRUE(store->record(attempt(id, 1)));
    ASSERT_TRUE(store->record(attempt(id, 2)));
    ASSERT_TRUE(store->set_baselines(id, R"({"eager":1})"));
    ASSERT_TRUE(store->set_summary(id, "{}"));
    ASSERT_TRUE(store->set_state(id, RunState::done));
  }
  auto store = open();
  const RunRecord run = store->find_run(id).value();
  EXPECT_EQ(run.state, RunState::done);
  EXPECT_EQ(run.baselines, R"({"eager":1})");
  EXPECT_GT(run.ended, 0);
  const auto attempts = store->attempts(id).value();
  ASSERT_EQ(attempts.size(), 2U);
  EXPECT_EQ(attempts[1].number, 2);
  EXPECT_EQ(attempts[1].parent, 1);
  EXPECT_EQ(attempts[1].program, attempt(id, 2).program);
  EXPECT_EQ(attempts[1].time_kind, TimeKind::measured);
  EXPECT_DOUBLE_EQ(attempts[1].time_us, 25.0);
}

TEST_F(StoreTest, FindsRunsByPrefixAndLast) {
  auto store = open();
  const std::string first = store->begin_run(work()).value().id;
  clock_.advance(std::chrono::hours(30));
  const std::string second = store->begin_run(work()).value().id;
  ASSERT_NE(first, second);
  EXPECT_EQ(store->find_run("last").value().id, second);
  EXPECT_EQ(store->find_run(first.substr(0, 8)).value().id, first);
  const auto both = store->find_run("2");
  ASSERT_FALSE(both);
  EXPECT_THAT(both.error().message, HasSubstr("several runs"));
  const auto none = store->find_run("zzz");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().help, HasSubstr("ucutlass show"));
}

TEST_F(StoreTest, RunsOfOneSecondHaveDifferentIds) {
  auto store = open();
  EXPECT_NE(store->begin_run(work()).value().id, store->begin_run(work()).value().id);
}

TEST_F(StoreTest, OffersTheUnfinishedRunOfTheSameWorkOnly) {
  auto store = open();
  const std::string id = store->begin_run(work("h1", "{\"seed\":1}")).value().id;
  EXPECT_EQ(store->find_unfinished("h1", "{\"seed\":1}").value().value().id, id);
  EXPECT_FALSE(store->find_unfinished("h1", "{\"seed\":2}").value().has_value());
  EXPECT_FALSE(store->find_unfinished("h2", "{\"seed\":1}").value().has_value());
  ASSERT_TRUE(store->set_state(id, RunState::interrupted));
  EXPECT_TRUE(store->find_unfinished("h1", "{\"seed\":1}").value().has_value());
  ASSERT_TRUE(store->set_state(id, RunState::done));
  EXPECT_FALSE(store->find_unfinished("h1", "{\"seed\":1}").value().has_value());
  EXPECT_FALSE(store->find_finished("h1", "{\"seed\":1}").value().has_value());  // no report yet
  ASSERT_TRUE(store->set_summary(id, "{}"));
  EXPECT_EQ(store->find_finished("h1", "{\"seed\":1}").value().value().id, id);
  EXPECT_FALSE(store->find_finished("h1", "{\"seed\":2}").value().has_value());
}

TEST_F(StoreTest, LessonsComeNewestFirstAndByRewrite) {
  auto store = open();
  LessonRecord lesson;
  lesson.rewrite = "prepack";
  lesson.text = "one";
  ASSERT_TRUE(store->add_lesson(lesson));
  clock_.advance(std::chrono::seconds(1));
  lesson.rewrite = "fuse-epilogue";
  lesson.text = "two";
  ASSERT_TRUE(store->add_lesson(lesson));
  EXPECT_EQ(store->lessons("", 10).value().front().text, "two");
  ASSERT_TRUE(store->add_lesson(lesson));  // again: a resumed run says the same
  EXPECT_EQ(store->lessons("", 10).value().size(), 2U);
  ASSERT_EQ(store->lessons("prepack", 10).value().size(), 1U);
  EXPECT_EQ(store->lessons("prepack", 10).value().front().text, "one");
}

// The writer says so after each attempt that it stored, and is killed while it goes on: what it said must be
// there.
TEST_F(StoreTest, KillLosesNoFinishedAttempt) {
  const std::string id = open()->begin_run(work()).value().id;
  int64_t stored = 0;
  for (int round = 0; round < 5; ++round) {
    int channel[2];
    ASSERT_EQ(pipe(channel), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      auto store = Store::open(path_);
      for (int64_t number = stored + 1; store; ++number) {
        if (!(*store)->record(attempt(id, number))) break;
        if (write(channel[1], &number, sizeof number) != sizeof number) break;
      }
      _exit(1);
    }
    close(channel[1]);
    const int64_t goal = stored + 3 + round;
    int64_t seen = 0;
    while (seen < goal && read(channel[0], &seen, sizeof seen) == sizeof seen) {
    }
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    while (read(channel[0], &seen, sizeof seen) == sizeof seen) {
    }
    close(channel[0]);
    ASSERT_GE(seen, goal);
    const auto attempts = open()->attempts(id).value();
    ASSERT_GE(attempts.size(), static_cast<size_t>(seen));
    for (size_t i = 0; i < attempts.size(); ++i)
      EXPECT_EQ(attempts[i].program, attempt(id, static_cast<int64_t>(i) + 1).program);
    stored = static_cast<int64_t>(attempts.size());
  }
}

TEST_F(StoreTest, FullDiskIsSaidAndKeepsWhatWasStored) {
  auto store = open();
  const std::string id = store->begin_run(work()).value().id;
  ASSERT_TRUE(store->record(attempt(id, 1)));
  const int64_t pages = store->database().query("PRAGMA page_count").value().front().integer(0);
  ASSERT_TRUE(store->database().script("PRAGMA max_page_count = " + std::to_string(pages)));
  AttemptRecord big = attempt(id, 2);
  big.program.assign(1 << 20, 'x');
  const auto full = store->record(big);
  ASSERT_FALSE(full);
  EXPECT_THAT(full.error().message, HasSubstr("no space left"));
  EXPECT_THAT(full.error().help, HasSubstr("stored before is safe"));
  store.reset();
  EXPECT_EQ(open()->attempts(id).value().size(), 1U);
}

// A file as version 1 wrote it, made here by hand and not by the code under test.
TEST_F(StoreTest, MigratesAnOldFileAndKeepsItsRuns) {
  {
    auto database = Database::open(path_).value();
    ASSERT_TRUE(database->script(std::string(schema::migrations()[0])));
    ASSERT_TRUE(database->script("PRAGMA application_id = 0x75437574; PRAGMA user_version = 1"));
    ASSERT_TRUE(database->script(
        "INSERT INTO runs VALUES "
        "('20250101-000000-aaaa','old','p.py','h','{}','h200','','0.0','','','interrupted',5.0,6.0)"));
  }
  auto store = open();
  EXPECT_EQ(store->find_run("last").value().problem, "old");
  EXPECT_EQ(store->find_run("last").value().state, RunState::interrupted);
  ASSERT_TRUE(store->add_lesson({}));
  EXPECT_EQ(store->database().query("PRAGMA user_version").value().front().integer(0),
            static_cast<int64_t>(schema::migrations().size()));
}

TEST_F(StoreTest, AFailedMigrationLeavesTheFileAsItWas) {
  {
    auto database = Database::open(path_).value();
    ASSERT_TRUE(database->script(std::string(schema::migrations()[0])));
    ASSERT_TRUE(database->script("CREATE TABLE lessons (other INTEGER)"));  // in the way of step 2
    ASSERT_TRUE(database->script("PRAGMA application_id = 0x75437574; PRAGMA user_version = 1"));
  }
  EXPECT_FALSE(Store::open(path_));
  auto database = Database::open(path_).value();
  EXPECT_EQ(database->query("PRAGMA user_version").value().front().integer(0), 1);
}

TEST_F(StoreTest, RefusesFilesOfOthersAndOfTheFuture) {
  {
    auto database = Database::open(path_).value();
    ASSERT_TRUE(database->script("CREATE TABLE mine (a INTEGER)"));
  }
  const auto foreign = Store::open(path_);
  ASSERT_FALSE(foreign);
  EXPECT_THAT(foreign.error().message, HasSubstr("another program"));

  path_ = folder_ + "/future.db";
  open();
  ASSERT_TRUE(Database::open(path_).value()->script("PRAGMA user_version = 999"));
  const auto future = Store::open(path_);
  ASSERT_FALSE(future);
  EXPECT_THAT(future.error().message, HasSubstr("newer ucutlass"));

  path_ = folder_ + "/text.db";
  std::ofstream(path_) << std::string(5000, 'x');
  const auto text = Store::open(path_);
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message, HasSubstr("not a database"));
  EXPECT_THAT(text.error().help, HasSubstr("--store"));
}

TEST_F(StoreTest, ReadingLeavesTheFileAsItIs) {
  std::ofstream(path_) << "";
  EXPECT_FALSE(Store::open_for_reading(path_));
  EXPECT_EQ(real_files().read(path_).value(), "");

  path_ = folder_ + "/foreign.db";
  ASSERT_TRUE(Database::open(path_).value()->script("CREATE TABLE mine (a INTEGER)"));
  const std::string foreign = real_files().read(path_).value();
  const auto refused = Store::open_for_reading(path_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("another program"));
  EXPECT_EQ(real_files().read(path_).value(), foreign);

  path_ = folder_ + "/old.db";
  {
    auto database = Database::open(path_).value();
    ASSERT_TRUE(database->script(std::string(schema::migrations()[0])));
    ASSERT_TRUE(database->script("PRAGMA application_id = 0x75437574; PRAGMA user_version = 1"));
  }
  const std::string old = real_files().read(path_).value();
  {
    const auto store = Store::open_for_reading(path_);
    ASSERT_TRUE(store) << store.error().message;
    EXPECT_TRUE((*store)->runs(10));
    EXPECT_FALSE((*store)->begin_run(work()));
  }
  EXPECT_EQ(real_files().read(path_).value(), old);
  EXPECT_EQ(real_files().list(folder_)->size(), 3u);  // nothing beside them
}

TEST_F(StoreTest, AStoreThatMayOnlyBeReadIsRead) {
  {
    (void)open()->begin_run(work());
  }
  ASSERT_EQ(::chmod(path_.c_str(), 0444), 0);
  ASSERT_EQ(::chmod(folder_.c_str(), 0555), 0);
  const bool root = ::geteuid() == 0;
  ASSERT_EQ(root ? ::seteuid(65534) : 0, 0);
  const auto store = Store::open_for_reading(path_);
  const auto runs = store ? (*store)->runs(10) : tl::unexpected(store.error());
  ASSERT_EQ(root ? ::seteuid(0) : 0, 0);
  ASSERT_EQ(::chmod(folder_.c_str(), 0700), 0);
  ASSERT_TRUE(runs) << runs.error().message;
  EXPECT_EQ(runs->size(), 1u);
}

TEST_F(StoreTest, WhatARunIsWritingIsRead) {
  auto writer = open();
  (void)writer->begin_run(work());
  const auto store = Store::open_for_reading(path_);
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_EQ((*store)->runs(10)->size(), 1u);
}

TEST_F(StoreTest, ACloggedFolderIsSaid) {
  std::ofstream(folder_ + "/file") << "x";
  const auto under_file = Store::open(folder_ + "/file/runs.db");
  ASSERT_FALSE(under_file);
  EXPECT_FALSE(under_file.error().help.empty());
  const auto is_folder = Store::open(folder_);
  ASSERT_FALSE(is_folder);
  EXPECT_FALSE(is_folder.error().help.empty());
}

TEST_F(StoreTest, ABusyWriterIsWaitedForAndThenNamed) {
  open();
  auto one = Database::open(path_).value();
  auto two = Database::open(path_, Database::Mode::read_write, Millis(20)).value();
  auto held = Transaction::begin(*one);
  ASSERT_TRUE(held);
  const auto busy = Transaction::begin(*two);
  ASSERT_FALSE(busy);
  EXPECT_THAT(busy.error().message, HasSubstr("locked"));
  EXPECT_TRUE(two->query("SELECT count(*) FROM runs"));  // readers do not wait
}

TEST_F(StoreTest, AnAbandonedTransactionIsUndone) {
  auto store = open();
  {
    auto transaction = Transaction::begin(store->database());
    ASSERT_TRUE(transaction);
    ASSERT_TRUE(store->begin_run(work()));
  }
  EXPECT_TRUE(store->runs(10).value().empty());
}

}  // namespace
}  // namespace uc
