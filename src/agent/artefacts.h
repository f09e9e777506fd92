#pragma once
// Why: a person can read a run as plain files under one folder. They are a copy: the store is the truth, so a
// folder that cannot be written is said once and stops nothing.
#include <functional>
#include <string>
#include <vector>

#include "agent/hypothesis.h"
#include "platform/files.h"

namespace uc {

class Artefacts {
 public:
  /// An empty folder: nothing is written.
  Artefacts(Files& files, std::string folder, std::function<void(const std::string&)> progress)
      : files_(files), folder_(std::move(folder)), progress_(std::move(progress)) {}

  /// `name` may hold folders: "iteration-1/analysis.md".
  void write(const std::string& name, const std::string& text);
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  const std::string& folder() const { return folder_; }

 private:
  Files& files_;
  std::string folder_;
  std::function<void(const std::string&)> progress_;
  bool failed_ = false;
};

std::string hypotheses_json(const std::vector<Hypothesis>& hypotheses);
std::string triage_json(const std::vector<Hypothesis>& hypotheses);

}  // namespace uc
