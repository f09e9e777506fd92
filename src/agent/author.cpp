#include "agent/author.h"

namespace uc {

std::string_view name(Role role) {
  switch (role) {
    case Role::system: return "system";
    case Role::user: return "user";
    case Role::assistant: return "assistant";
  }
  return {};
}

std::string_view name(Question question) {
  switch (question) {
    case Question::nominate: return "nominate";
    case Question::write: return "write";
  }
  return {};
}

}  // namespace uc
