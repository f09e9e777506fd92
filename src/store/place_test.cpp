#include "store/place.h"

#include <gtest/gtest.h>

namespace uc {
namespace {

TEST(StorePlace, FollowsXdgThenHomeThenSaysWhatToDo) {
  FakeEnvironment environment;
  const auto nowhere = store_path(environment, "");
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().help.find("--store"), std::string::npos);
  EXPECT_EQ(store_path(environment, "here.db").value(), "here.db");
  environment.values["HOME"] = "/home/ada";
  EXPECT_EQ(store_path(environment, "").value(), "/home/ada/.local/share/ucutlass/runs.db");
  environment.values["XDG_DATA_HOME"] = "relative";
  EXPECT_EQ(store_path(environment, "").value(), "/home/ada/.local/share/ucutlass/runs.db");
  environment.values["XDG_DATA_HOME"] = "/data";
  EXPECT_EQ(store_path(environment, "").value(), "/data/ucutlass/runs.db");
}

}  // namespace
}  // namespace uc
