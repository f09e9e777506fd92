#include "cli/completion/scripts.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace uc::cli {
namespace {

bool plain(const std::string& word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-_./+").find(c) != std::string_view::npos;
  });
}

constexpr ShellSpec kShells[] = {
    {"bash", "source <(ucutlass completion bash)        # in ~/.bashrc", bash_script},
    {"zsh", "source <(ucutlass completion zsh)         # in ~/.zshrc, after compinit", zsh_script},
    {"fish", "ucutlass completion fish | source         # in ~/.config/fish/config.fish", fish_script},
};

}  // namespace

std::span<const ShellSpec> shells() { return kShells; }

std::vector<std::string> spellings(const OptionHelp& option) {
  std::vector<std::string> out;
  for (const std::string_view part : split(option.names, ',')) out.emplace_back(trim(part));
  return out;
}

std::string plain_words(std::span<const std::string> words) {
  std::string out;
  for (const std::string& word : words) {
    if (plain(word)) out += (out.empty() ? "" : " ") + word;
  }
  return out;
}

bool takes_path(const OptionHelp& option) {
  const std::string& text = option.positional() ? option.names : option.placeholder;
  return text.find("FILE") != std::string::npos || text.find("FOLDER") != std::string::npos ||
         text.find('.') != std::string::npos || text.find("PROBLEM") != std::string::npos;
}

}  // namespace uc::cli
