#include "platform/files.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <thread>
#include <unistd.h>

#include "platform/file_limits.h"

namespace uc {
namespace {

namespace fs = std::filesystem;

class FilesTest : public testing::Test {
 protected:
  void SetUp() override { folder_ = real_files().make_temporary_folder("uc-files-").value(); }
  void TearDown() override { (void)real_files().remove(folder_); }
  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  static std::string text(const std::string& path) { return real_files().read(path).value_or("unreadable"); }

  std::string folder_;
};

TEST_F(FilesTest, ALinkIsFollowed) {
  fs::create_directory(at("far"));
  ASSERT_TRUE(real_files().write(at("far/target"), "old"));
  fs::create_symlink("far/target", at("near"));
  fs::create_symlink(at("near"), at("link"));
  ASSERT_TRUE(real_files().write(at("link"), "new"));
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_TRUE(fs::is_symlink(at("near")));
  EXPECT_EQ(text(at("far/target")), "new");
}

TEST_F(FilesTest, ALinkToNothingYetIsFollowed) {
  fs::create_symlink(at("target"), at("link"));
  ASSERT_TRUE(real_files().write(at("link"), "new"));
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(text(at("target")), "new");
}

TEST_F(FilesTest, ARingOfLinksIsAnError) {
  fs::create_symlink(at("b"), at("a"));
  fs::create_symlink(at("a"), at("b"));
  EXPECT_FALSE(real_files().write(at("a"), "new"));
  EXPECT_TRUE(fs::is_symlink(at("a")));
}

TEST_F(FilesTest, APipeIsWrittenInto) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = text(at("pipe")); });
  EXPECT_TRUE(real_files().write(at("pipe"), "through"));
  reader.join();
  EXPECT_EQ(got, "through");
  EXPECT_TRUE(fs::is_fifo(at("pipe")));
}

// A node of our own with the numbers of the device that is always full.
TEST_F(FilesTest, AFullDeviceIsSaidAndStaysADevice) {
  if (::mknod(at("full").c_str(), S_IFCHR | 0600, makedev(1, 7)) != 0 ||
      ::open(at("full").c_str(), O_RDONLY) < 0)
    GTEST_SKIP() << "no device may be made here";
  const auto written = real_files().write(at("full"), "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().exit_code, 1);
  EXPECT_NE(written.error().message.find("no space left"), std::string::npos);
  EXPECT_TRUE(fs::is_character_file(at("full")));
}

TEST_F(FilesTest, AnOpenDescriptorKeepsWhatOthersWrote) {
  const int fd = ::open(at("log").c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(::write(fd, "before ", 7), 7);
  fs::create_symlink("/proc/self/fd/" + std::to_string(fd), at("stdout"));
  EXPECT_TRUE(real_files().write(at("stdout"), "after"));
  ::close(fd);
  EXPECT_EQ(text(at("log")), "before after");
}

TEST_F(FilesTest, AFolderIsNoFile) {
  for (const std::string& path : {folder_, folder_ + "/", at("new/")}) {
    const auto written = real_files().write(path, "x");
    ASSERT_FALSE(written) << path;
    EXPECT_EQ(written.error().help, "name a file, not a folder") << path;
  }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(FilesTest, EndlessInputEnds) {
  const std::string path = at("sparse");
  ASSERT_TRUE(real_files().write(path, ""));
  fs::resize_file(path, kMostRead + 1);
  const auto read = real_files().read(path);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("larger than 256 MB"), std::string::npos);
}

TEST_F(FilesTest, OneFileHasManyNames) {
  ASSERT_TRUE(real_files().write(at("a"), "x"));
  ASSERT_TRUE(real_files().write(at("c"), "x"));
  fs::create_symlink("a", at("b"));
  fs::create_hard_link(at("a"), at("h"));
  EXPECT_TRUE(same_file(at("a"), at("b")));
  EXPECT_TRUE(same_file(at("h"), at("b")));
  EXPECT_FALSE(same_file(at("a"), at("c")));
  EXPECT_FALSE(same_file(at("a"), at("none")));
  EXPECT_FALSE(same_file(folder_, folder_));
}

}  // namespace
}  // namespace uc
