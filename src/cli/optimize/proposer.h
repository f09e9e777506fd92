#pragma once
// Why: who proposes is chosen by name, and each kind needs other things of the world; the loop is the same.
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/artefacts.h"
#include "agent/author.h"
#include "agent/hypothesis.h"
#include "agent/manual/file_author.h"
#include "cli/optimize/setup.h"

namespace uc::cli {

/// A proposer and what it stands on.
struct ProposerParts {
  std::unique_ptr<Artefacts> artefacts;
  std::unique_ptr<Author> author;
  std::unique_ptr<Proposer> proposer;
  const FileAuthor* files = nullptr;  ///< the author, when it is one of files
  /// A request that waits for an answer; null: none.
  const PendingRequest* pending() const {
    return files != nullptr && files->pending() ? &*files->pending() : nullptr;
  }
};

using Progress = std::function<void(const std::string&)>;

struct ProposerKind {
  std::string_view name, summary;
  Result<ProposerParts> (*make)(const Context&, const RunSetup&, const Progress&);
};
std::vector<std::string> proposer_names();

/// Errors: no key in the variable that is named, an answer file that cannot be read.
Result<ProposerParts> make_proposer(const Context& context, const RunSetup& setup, const Progress& progress);

/// What the command line says of a language model: --llm (a file, or JSON), and the options that name one
/// thing each, which count more. Empty text: nothing of it.
struct EndpointFlags {
  std::string llm, base_url, model, key_env, price;
};
/// endpoint_json() of them. Errors: see parse_endpoint and usable.
Result<std::string> endpoint_of(const EndpointFlags& flags, Files& files);

/// The settings that no run can begin with. Errors: exit code 2.
Result<> check_proposer(const OptimizeSettings& settings);

/// Schema ucutlass.request/1.
std::string request_json(const std::string& run, const PendingRequest& request, const std::string& resume);

}  // namespace uc::cli
