#include "agent/manual/file_author.h"

#include <gmock/gmock.h>

namespace uc {
namespace {

using testing::HasSubstr;

/// A clock on which a person writes an answer while the author sleeps.
class BusyClock final : public Clock {
 public:
  std::chrono::nanoseconds now() const override { return now_; }
  double wall_seconds() const override { return 0; }
  void sleep(Millis duration) override {
    now_ += duration;
    ++sleeps;
    if (on_sleep) on_sleep(sleeps);
  }
  int sleeps = 0;
  std::function<void(int)> on_sleep;

 private:
  std::chrono::nanoseconds now_{0};
};

struct Desk {
  Desk() : folder(real_files().make_temporary_folder("uc-desk-").value()) {}
  ~Desk() { (void)real_files().remove(folder); }
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;
  FileAuthor author(Millis wait = Millis(0)) {
    return FileAuthor({real_files(), clock, folder + "/talk", wait, {}, [](const std::string&) {}});
  }
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(real_files().write(folder + "/talk/" + name, text));
  }
  std::string read(const std::string& name) {
    return real_files().read(folder + "/talk/" + name).value_or("(missing)");
  }
  std::string folder;
  BusyClock clock;
};

AuthorRequest request(const std::string& text) {
  return {Question::write, 2, {{Role::system, "you write"}, {Role::user, text}}};
}

TEST(FileAuthor, LeavesARequestAndStopsWithoutAnAnswer) {
  Desk desk;
  FileAuthor author = desk.author();
  const auto got = author.ask(request("first"));
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().exit_code, 130);
  ASSERT_TRUE(author.pending());
  EXPECT_EQ(author.pending()->answer_file, desk.folder + "/talk/001-write.answer.md");
  EXPECT_EQ(desk.read("001-write.request.md"), "you write\n\nfirst\n\n");
  EXPECT_EQ(desk.clock.sleeps, 0);
  const auto pending = find_pending(real_files(), desk.folder + "/talk");
  ASSERT_TRUE(pending);
  EXPECT_EQ(pending->question, "write");
  EXPECT_EQ(pending->answer_file, author.pending()->answer_file);
}

TEST(FileAuthor, ReadsAnswersThatAreThere) {
  Desk desk;
  (void)desk.author().ask(request("first"));
  desk.write("001-write.answer.md", "mine");
  FileAuthor author = desk.author();
  EXPECT_EQ((*author.ask(request("first")))->text, "mine");
  EXPECT_FALSE(author.pending());
  EXPECT_FALSE(find_pending(real_files(), desk.folder + "/talk"));
  ASSERT_FALSE(author.ask(request("second")));
  desk.write("002-write.answer.uc", "return ```y");
  FileAuthor again = desk.author();
  EXPECT_EQ((*again.ask(request("first")))->text, "mine");
  EXPECT_EQ((*again.ask(request("second")))->text, "````uc\nreturn ```y\n````\n");
}

TEST(FileAuthor, AnEmptyFileIsNoAnswer) {
  Desk desk;
  (void)desk.author().ask(request("first"));
  desk.write("001-write.answer.md", " \n");
  FileAuthor author = desk.author();
  EXPECT_FALSE(author.ask(request("first")));
}

TEST(FileAuthor, AnAnswerToAnotherRequestIsNotTaken) {
  Desk desk;
  (void)desk.author().ask(request("first"));
  desk.write("001-write.answer.md", "mine");
  FileAuthor author = desk.author();
  ASSERT_FALSE(author.ask(request("changed")));
  EXPECT_EQ(desk.read("001-write.request.md"), "you write\n\nfirst\n\n");
  EXPECT_EQ(desk.read("002-write.request.md"), "you write\n\nchanged\n\n");
}

TEST(FileAuthor, WaitsUntilAnAnswerIsWhole) {
  Desk desk;
  desk.clock.on_sleep = [&](int count) {
    if (count == 3) desk.write("001-write.answer.md", "half");
    if (count == 4) desk.write("001-write.answer.md", "half and the rest");
  };
  FileAuthor author = desk.author(Millis(60'000));
  const auto got = author.ask(request("first"));
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ((*got)->text, "half and the rest");
}

TEST(FileAuthor, WaitsNoLongerThanItIsTold) {
  Desk desk;
  FileAuthor author = desk.author(Millis(10'000));
  EXPECT_FALSE(author.ask(request("first")));
  EXPECT_EQ(desk.clock.now(), Millis(10'000));
}

TEST(FileAuthor, AFolderThatCannotBeIsSaid) {
  Desk desk;
  ASSERT_TRUE(real_files().write(desk.folder + "/talk", "a file"));
  FileAuthor author = desk.author();
  const auto got = author.ask(request("first"));
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().exit_code, 1);
  EXPECT_THAT(got.error().message, HasSubstr("talk"));
}

}  // namespace
}  // namespace uc
