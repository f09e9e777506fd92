#include "agent/builder.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <gmock/gmock.h>

#include "agent/nvcc_builder.h"
#include "agent/testing.h"
#include "platform/interrupt.h"

namespace uc {
namespace {

using namespace agent_testing;

std::shared_ptr<const Candidate> named(const std::string& text) {
  Candidate out;
  out.source = text;
  return std::make_shared<const Candidate>(std::move(out));
}

// Remembers the order in which programs came; waits until it is let go.
class Recorder final : public CandidateBuilder {
 public:
  Result<BuildOutcome> build(const Candidate& candidate, const std::string& output) override {
    std::unique_lock lock(mutex);
    order.push_back(candidate.source);
    changed.notify_all();
    changed.wait(lock, [&] { return open; });
    if (candidate.source == "bad") return fail("it does not build");
    return BuildOutcome{output, {}, 0, false, ""};
  }
  void let_go() {
    const std::lock_guard lock(mutex);
    open = true;
    changed.notify_all();
  }
  void await(size_t count) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return order.size() >= count; });
  }
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> order;
  bool open = false;
};

TEST(BuildQueue, BuildsEachOnceAndTheNeededFirst) {
  Recorder builder;
  BuildQueue queue(builder, 1, "/out");
  queue.need(named("a"));
  builder.await(1);
  queue.expect(named("b"));
  queue.expect(named("c"));
  queue.need(named("d"));
  queue.need(named("c"));
  queue.need(named("a"));
  builder.let_go();
  for (const char* each : {"a", "c", "d"}) EXPECT_TRUE(queue.wait(*named(each))) << each;
  EXPECT_EQ(queue.wait(*named("a")).value().library, "/out/" + named("a")->hash() + ".so");
  const std::lock_guard lock(builder.mutex);
  EXPECT_EQ(std::vector<std::string>(builder.order.begin(), builder.order.begin() + 3),
            (std::vector<std::string>{"a", "c", "d"}));
}

TEST(BuildQueue, TellsWhatDoesNotBuildEveryTime) {
  Recorder builder;
  builder.open = true;
  BuildQueue queue(builder, 2, "/out");
  queue.need(named("bad"));
  EXPECT_EQ(queue.wait(*named("bad")).error().message, "it does not build");
  EXPECT_EQ(queue.wait(*named("bad")).error().message, "it does not build");
}

TEST(BuildQueue, ForgetsWhatIsOnlyExpected) {
  Recorder builder;
  BuildQueue queue(builder, 1, "/out");
  queue.need(named("a"));
  builder.await(1);
  queue.expect(named("b"));
  queue.forget();
  queue.need(named("c"));
  builder.let_go();
  EXPECT_TRUE(queue.wait(*named("c")));
  const std::lock_guard lock(builder.mutex);
  EXPECT_EQ(builder.order, (std::vector<std::string>{"a", "c"}));
}

TEST(BuildQueue, BeginsNothingWhileTimesAreTaken) {
  Recorder builder;
  builder.open = true;
  BuildQueue queue(builder, 2, "/out");
  queue.pause(true);
  queue.need(named("a"));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  {
    const std::lock_guard lock(builder.mutex);
    EXPECT_TRUE(builder.order.empty());
  }
  queue.pause(false);
  EXPECT_TRUE(queue.wait(*named("a")));
}

ProcessSpec shell(const std::string& script) {
  ProcessSpec spec;
  spec.argv = {"sh", "-c", script};
  return spec;
}

TEST(InterruptibleProcesses, RunAsUsual) {
  InterruptibleProcesses processes(real_processes());
  const auto done = processes.run(shell("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(done);
  EXPECT_EQ(done->end.code, 3);
  EXPECT_EQ(done->out, "out\n");
  EXPECT_EQ(done->err, "err\n");
}

TEST(InterruptibleProcesses, KeepDeadlines) {
  InterruptibleProcesses processes(real_processes());
  ProcessSpec spec = shell("sleep 60");
  spec.deadline = Millis(300);
  const auto done = processes.run(spec);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->end.kind, ProcessEnd::Kind::timed_out);
}

TEST(InterruptibleProcesses, StandStillWhilePaused) {
  InterruptibleProcesses processes(real_processes());
  const std::string folder = real_files().make_temporary_folder("uc-pause-").value();
  const std::string file = folder + "/ticks";
  std::thread worker([&] {
    (void)processes.run(shell("for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do echo x >> " +
                              file + "; sleep 0.1; done"));
  });
  while (!real_files().exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  processes.pause(true);
  std::this_thread::sleep_for(std::chrono::milliseconds(400));  // the signal arrives late on a loaded machine
  const std::string before = real_files().read(file).value();
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  EXPECT_EQ(real_files().read(file).value(), before);
  processes.pause(false);
  worker.join();
  EXPECT_EQ(real_files().read(file).value().size(), 40U);
  (void)real_files().remove(folder);
}

TEST(InterruptibleProcesses, TalkToChildrenUntilTheUserInterrupts) {
  const InterruptGuard guard;
  InterruptibleProcesses processes(real_processes());
  auto child = processes.start(shell("sleep 0.3; echo hello >&3; sleep 60"));
  ASSERT_TRUE(child);
  EXPECT_EQ((*child)->receive(Millis(0), 100).kind, ChildProcess::Line::Kind::timed_out);
  const auto line = (*child)->receive(Millis(20000), 100);
  EXPECT_EQ(line.text, "hello");
  raise(SIGINT);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ((*child)->receive(Millis(30000), 100).kind, ChildProcess::Line::Kind::closed);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_FALSE(processes.run(shell("true")));
}

TEST(InterruptibleProcesses, EndAtOnceWhenStopped) {
  InterruptibleProcesses processes(real_processes());
  const auto begin = std::chrono::steady_clock::now();
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    processes.stop();
  });
  const auto done = processes.run(shell("sleep 60"));
  stopper.join();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().exit_code, 130);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

}  // namespace
}  // namespace uc
