#include "platform/replace.h"

#include <cerrno>
#include <cstdlib>
#include <unistd.h>

#include "platform/files.h"

namespace uc {

Error replace_process(const std::vector<std::string>& argv,
                      const std::vector<std::pair<std::string, std::string>>& env) {
  for (const auto& [name, value] : env) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  return system_error("start", argv[0], errno);
}

}  // namespace uc
