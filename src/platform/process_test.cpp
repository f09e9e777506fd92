#include "platform/process.h"

#include <atomic>
#include <csignal>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "platform/files.h"
#include "platform/lock.h"

namespace uc {
namespace {

ProcessSpec shell(std::string script) { return {.argv = {"sh", "-c", std::move(script)}}; }

TEST(Process, SeparatesOutputsAndReportsTheExitCode) {
  const auto ran = real_processes().run(shell("echo out; echo err >&2; exit 7"));
  ASSERT_TRUE(ran);
  EXPECT_EQ(ran->out, "out\n");
  EXPECT_EQ(ran->err, "err\n");
  EXPECT_EQ(describe(ran->end), "exit code 7");
}

TEST(Process, NamesTheSignal) {
  const auto ran = real_processes().run(shell("kill -SEGV $$"));
  ASSERT_TRUE(ran);
  EXPECT_EQ(ran->end.kind, ProcessEnd::Kind::signalled);
  EXPECT_EQ(describe(ran->end), "killed by SIGSEGV (Segmentation fault)");
}

TEST(Process, DeadlineKillsTheWholeGroup) {
  auto spec = shell("sleep 60 & echo $!; wait");
  spec.deadline = Millis(200);
  const auto ran = real_processes().run(spec);
  ASSERT_TRUE(ran);
  EXPECT_EQ(ran->end.kind, ProcessEnd::Kind::timed_out);
  EXPECT_LT(ran->seconds, 5.0);
  const int grandchild = std::stoi(ran->out);
  std::string state;
  for (int i = 0; i < 200; ++i) {
    const auto stat = real_files().read("/proc/" + std::to_string(grandchild) + "/stat");
    state = stat ? *stat : "";
    if (state.empty() || state.find(") Z") != std::string::npos)
      break;  // gone, or dead and not yet collected
    std::this_thread::sleep_for(Millis(10));
  }
  EXPECT_TRUE(state.empty() || state.find(") Z") != std::string::npos) << state;
}

TEST(Process, FeedsInputAndSurvivesAChildThatDoesNotReadIt) {
  auto cat = ProcessSpec{.argv = {"cat"}};
  cat.input = std::string(300000, 'x');
  EXPECT_EQ(real_processes().run(cat)->out, cat.input);
  auto deaf = shell("exec 0<&-; exit 0");
  deaf.input = std::string(300000, 'x');
  EXPECT_TRUE(real_processes().run(deaf)->end.ok());
}

TEST(Process, KeepsBothEndsOfAFlood) {
  auto spec = shell("echo first; head -c 1000000 /dev/zero | tr '\\0' x; echo last");
  spec.output_limit = 1000;
  const auto ran = real_processes().run(spec);
  ASSERT_TRUE(ran);
  EXPECT_LT(ran->out.size(), 1200u);
  EXPECT_TRUE(ran->out.starts_with("first\n"));
  EXPECT_TRUE(ran->out.ends_with("last\n"));
  EXPECT_NE(ran->out.find("bytes left out"), std::string::npos);
}

TEST(Process, WatchesResidentMemory) {
  auto spec = shell("x=a; while :; do x=$x$x; done");
  spec.resident_limit = uint64_t{64} << 20;
  spec.deadline = Millis(20000);
  const auto ran = real_processes().run(spec);
  ASSERT_TRUE(ran);
  EXPECT_EQ(ran->end.kind, ProcessEnd::Kind::out_of_memory) << describe(ran->end);
}

TEST(Process, AMissingProgramOrFolderIsAnErrorWithHelp) {
  const auto missing = real_processes().run({.argv = {"no-such-program-here"}});
  ASSERT_FALSE(missing);
  EXPECT_FALSE(missing.error().help.empty());
  auto spec = shell("true");
  spec.folder = "/no/such/folder";
  ASSERT_FALSE(real_processes().run(spec));
}

TEST(Process, ARelativeProgramIsOneOfItsFolder) {
  const std::string folder = *real_files().make_temporary_folder("uc-relative-");
  ASSERT_TRUE(real_files().write(folder + "/says", "#!/bin/sh\necho here\n", 0755));
  const auto done = real_processes().run({.argv = {"./says"}, .folder = folder});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->out, "here\n");
  EXPECT_FALSE(real_processes().run({.argv = {"./says"}}));
  ASSERT_TRUE(real_files().remove(folder));
}

TEST(Process, EnvironmentIsAddedReplacedAndRemoved) {
  auto spec = shell("echo ${A-none} ${HOME-none}");
  spec.env = {{"A", "one"}};
  spec.unset_env = {"HOME"};
  EXPECT_EQ(real_processes().run(spec)->out, "one none\n");
}

TEST(Channel, CarriesLinesApartFromStdout) {
  auto child = real_processes().start(shell("echo noise; read -r x <&3; echo \"got $x\" >&3; echo two >&3"));
  ASSERT_TRUE(child);
  ASSERT_TRUE((*child)->send("ping", Millis(1000)));
  EXPECT_EQ((*child)->receive(Millis(5000), 100).text, "got ping");
  EXPECT_EQ((*child)->receive(Millis(5000), 100).text, "two");
  EXPECT_EQ((*child)->receive(Millis(5000), 100).kind, ChildProcess::Line::Kind::closed);
  EXPECT_TRUE((*child)->finish(Millis(2000)).ok());
  EXPECT_EQ((*child)->out(), "noise\n");
}

TEST(Channel, HangsFloodsAndDeathsAreTold) {
  using Kind = ChildProcess::Line::Kind;
  auto hang = real_processes().start(shell("sleep 60"));
  EXPECT_EQ((*hang)->receive(Millis(100), 100).kind, Kind::timed_out);
  EXPECT_EQ((*hang)->finish(Millis(0)).kind, ProcessEnd::Kind::signalled);
  auto flood = real_processes().start(shell("head -c 100000 /dev/zero | tr '\\0' x >&3; sleep 60"));
  EXPECT_EQ((*flood)->receive(Millis(5000), 1000).kind, Kind::too_long);
  auto dead = real_processes().start(shell("kill -ABRT $$"));
  EXPECT_EQ((*dead)->receive(Millis(5000), 100).kind, Kind::closed);
  EXPECT_EQ((*dead)->finish(Millis(1000)).code, SIGABRT);
  EXPECT_FALSE((*dead)->send("anyone", Millis(100)));
}

TEST(Lock, ExcludesNamesTheHolderAndIsFreedByDeath) {
  const std::string folder = *real_files().make_temporary_folder("uc-lock-");
  auto locks = file_locks(folder);
  auto held = locks->acquire("GPU-1234/x", Millis(0));
  ASSERT_TRUE(held);
  const auto second = locks->acquire("GPU-1234/x", Millis(50));
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find(std::to_string(::getpid())), std::string::npos);
  ASSERT_TRUE(locks->acquire("GPU-other", Millis(0)));
  held->reset();
  ASSERT_TRUE(locks->acquire("GPU-1234/x", Millis(0)));
  // Another process that dies with the lock held does not keep it.
  const std::string path = folder + "/ucutlass-GPU-1234_x.lock";
  auto child = real_processes().start(shell("exec 9<>" + path + "; flock 9; echo locked >&3; sleep 60"));
  ASSERT_EQ((*child)->receive(Millis(5000), 100).text, "locked");
  EXPECT_FALSE(locks->acquire("GPU-1234/x", Millis(0)));
  (*child)->finish(Millis(0));
  EXPECT_TRUE(locks->acquire("GPU-1234/x", Millis(2000)));
  EXPECT_FALSE(real_files().exists(path)) << "what is not locked leaves no file";
  ASSERT_TRUE(real_files().remove(folder));
}

// A holder removes its file as it ends; whoever waited for that file must not think that it holds the name.
TEST(Lock, ExcludesThoseWhoWaitedForARemovedFile) {
  const std::string folder = *real_files().make_temporary_folder("uc-lock-");
  std::atomic<int> inside{0}, most{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        auto held = file_locks(folder)->acquire("x", Millis(60000));
        ASSERT_TRUE(held);
        const int now = ++inside;
        if (now > most) most = now;
        std::this_thread::sleep_for(Millis(2));
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
  ASSERT_TRUE(real_files().remove(folder));
}

TEST(Lock, WaitsOnTheInjectedClock) {
  const std::string folder = *real_files().make_temporary_folder("uc-lock-");
  FakeClock clock;
  auto locks = file_locks(folder, clock);
  const auto held = locks->acquire("a", Millis(0));
  ASSERT_FALSE(locks->acquire("a", Millis(3600000)));  // an hour, at once
  EXPECT_GE(clock.now(), std::chrono::hours(1));
  ASSERT_TRUE(real_files().remove(folder));
}

TEST(Files, WritesAppearWholeAndFailuresSayWhatToDo) {
  const std::string folder = *real_files().make_temporary_folder("uc-files-");
  ASSERT_TRUE(real_files().write(folder + "/a", "one"));
  ASSERT_TRUE(real_files().write(folder + "/a", "two"));
  EXPECT_EQ(*real_files().read(folder + "/a"), "two");
  EXPECT_EQ(*real_files().list(folder), std::vector<std::string>{"a"});  // no temporary file is left
  const auto missing = real_files().read(folder + "/b");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("no such file"), std::string::npos);
  const auto below_file = real_files().make_folder(folder + "/a/b");
  ASSERT_FALSE(below_file);
  EXPECT_FALSE(below_file.error().help.empty());
  ASSERT_TRUE(real_files().remove(folder));
  EXPECT_FALSE(real_files().exists(folder));
}

}  // namespace
}  // namespace uc
