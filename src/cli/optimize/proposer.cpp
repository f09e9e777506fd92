#include "cli/optimize/proposer.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/chat/chat_author.h"
#include "agent/proposers/authored.h"
#include "agent/proposers/search.h"
#include "base/text.h"
#include "compiler/pipeline.h"
#include "diag/render.h"
#include "language/exports.h"
#include "platform/interrupt.h"

namespace uc::cli {
namespace {

constexpr size_t kMostDiagnostics = 6000;  // bytes

Result<ProposerParts> make_search(const Context&, const RunSetup&, const Progress&) {
  ProposerParts out;
  out.proposer = std::make_unique<SearchProposer>();
  return out;
}

std::unique_ptr<Proposer> authored(Author& author, const RunSetup& setup, Files& files) {
  std::string source;
  if (setup.settings.raw && !setup.problem.source_path.empty())
    source = files.read(setup.problem.source_path).value_or("");
  return std::make_unique<AuthoredProposer>(
      author, AuthoredStart{setup.problem.name, setup.start.program, setup.start.reduced, setup.settings.raw,
                            std::move(source)});
}

std::string export_of(const Catalog& catalog, std::string_view name) {
  const auto all = language::exports();
  const auto found = std::ranges::find(all, name, &language::Export::name);
  return found == all.end() ? std::string() : found->print(catalog);
}

ChatTools chat_tools(const Catalog& catalog, const DeviceSpec& device) {
  ChatTools out;
  out.check = [&catalog, name = device.name](const std::string& program) {
    CompileOptions options;
    options.device = name;
    const Compiled compiled = check_source(catalog, program, options);
    std::string said = render_text(compiled.diags.sorted(), program, "program.uc");
    if (said.size() > kMostDiagnostics) said.resize(kMostDiagnostics);
    return compiled.ok() ? "The program is fine.\n" + said : said;
  };
  out.gbnf = export_of(catalog, "gbnf");
  out.lark = export_of(catalog, "lark");
  return out;
}

// A header cannot hold every byte, and a key that is none is better told here than by the endpoint.
Result<std::string> key_of(const Endpoint& endpoint, const Environment& environment) {
  if (endpoint.key_env.empty()) return std::string();
  const auto key = environment.get(endpoint.key_env);
  const auto odd = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 127; };
  if (!key || key->empty())
    return fail(fmt::format("the environment variable {} holds no key", printable(endpoint.key_env)),
                fmt::format("export {}=..., or name another with --key-env", printable(endpoint.key_env)), 2);
  if (std::ranges::any_of(*key, odd))
    return fail(fmt::format("the key in {} holds a space or a control character", endpoint.key_env),
                "set it without quotes and line ends", 2);
  return *key;
}

Result<ProposerParts> make_llm(const Context& context, const RunSetup& setup, const Progress& progress) {
  auto endpoint = parse_endpoint(setup.settings.llm);
  if (!endpoint) return tl::unexpected(endpoint.error());
  auto key = key_of(*endpoint, context.environment);
  if (!key) return tl::unexpected(key.error());
  ProposerParts out;
  out.artefacts = std::make_unique<Artefacts>(context.files, setup.run.folder, progress);
  const ChatWorld world{real_http(),     context.clock, *setup.store,        setup.run.id,
                        std::move(*key), progress,      interrupt_requested, out.artefacts.get()};
  const Caps caps{setup.settings.max_tokens, setup.settings.max_usd};
  out.author =
      std::make_unique<ChatAuthor>(world, *endpoint, caps, chat_tools(context.catalog, *setup.target.device));
  out.proposer = authored(*out.author, setup, context.files);
  return out;
}

// --answer FILE stands for the file that the last request named.
Result<> place_answer(const Context& context, const std::string& folder, const std::string& answer) {
  if (answer.empty()) return {};
  auto text = read_given(context.files, answer);
  if (!text) return tl::unexpected(text.error());
  const auto pending = find_pending(context.files, folder);
  if (!pending)
    return fail("no request waits for an answer", "leave out --answer: the run goes on with `--resume RUN`",
                2);
  std::string file = pending->answer_file;
  if (answer.ends_with(".uc")) file = file.substr(0, file.rfind('.')) + ".uc";
  return context.files.write(file, *text);
}

Result<ProposerParts> make_manual(const Context& context, const RunSetup& setup, const Progress& progress) {
  std::string folder = setup.settings.exchange;
  if (folder.empty() && setup.run.folder.empty())
    return fail("there is no folder for requests and answers", "name one: --exchange DIR", 2);
  if (folder.empty()) folder = setup.run.folder + "/exchange";
  if (auto placed = place_answer(context, folder, setup.settings.answer); !placed)
    return tl::unexpected(placed.error());
  ProposerParts out;
  auto author = std::make_unique<FileAuthor>(FileExchange{context.files, context.clock, folder,
                                                          Millis(setup.settings.wait_s * 1000),
                                                          interrupt_requested, progress});
  out.files = author.get();
  out.author = std::move(author);
  out.proposer = authored(*out.author, setup, context.files);
  return out;
}

constexpr std::array kKinds{
    ProposerKind{"search", "rewrites of typed programs, ranked by the cost model; no tokens", make_search},
    ProposerKind{"llm", "a language model behind any OpenAI-compatible endpoint", make_llm},
    ProposerKind{"manual", "a person or a coding agent: requests and answers are files", make_manual},
};

}  // namespace

std::vector<std::string> proposer_names() {
  std::vector<std::string> out;
  for (const ProposerKind& kind : kKinds) out.emplace_back(kind.name);
  return out;
}

Result<ProposerParts> make_proposer(const Context& context, const RunSetup& setup, const Progress& progress) {
  const auto kind = std::ranges::find(kKinds, setup.settings.proposer, &ProposerKind::name);
  if (kind == kKinds.end()) return fail("no such proposer: " + setup.settings.proposer, "", 2);
  return kind->make(context, setup, progress);
}

Result<std::string> endpoint_of(const EndpointFlags& flags, Files& files) {
  Endpoint out;
  if (!flags.llm.empty()) {
    const bool inline_json = starts_with(trim(flags.llm), "{");
    const auto text = inline_json ? Result<std::string>(flags.llm) : read_given(files, flags.llm);
    if (!text) return tl::unexpected(text.error());
    auto parsed = parse_endpoint(*text);
    if (!parsed) return tl::unexpected(parsed.error());
    out = std::move(*parsed);
  }
  if (!flags.base_url.empty()) out.base_url = flags.base_url;
  while (out.base_url.ends_with('/')) out.base_url.pop_back();
  if (!flags.model.empty()) out.model = flags.model;
  if (!flags.key_env.empty()) out.key_env = flags.key_env;
  if (!flags.price.empty()) {
    out.price = parse_price(flags.price);
    if (!out.price)
      return fail(fmt::format("`{}` is no price", printable(flags.price)),
                  "dollars a million tokens of prompts and of answers: --price 1.25:10", 2);
  }
  if (auto fine = usable(out); !fine) return tl::unexpected(fine.error());
  return endpoint_json(out);
}

Result<> check_proposer(const OptimizeSettings& settings) {
  if (settings.raw && settings.proposer == "search")
    return fail("the search writes no CUDA of its own", "say --proposer llm or manual, or leave out --raw",
                2);
  if (settings.proposer != "llm") {
    if (settings.max_tokens > 0 || settings.max_usd > 0)
      return fail("--max-tokens and --max-usd are for --proposer llm: nobody else costs tokens",
                  "--attempts limits every proposer", 2);
    return {};
  }
  auto endpoint = parse_endpoint(settings.llm);
  if (!endpoint) return tl::unexpected(endpoint.error());
  if (settings.raw && (endpoint->tools || endpoint->grammar != Constraint::none))
    return fail("tools and grammars are those of programs, and --raw asks for CUDA",
                "leave `tools` and `grammar` out of the endpoint's settings, or leave out --raw", 2);
  return usable(Caps{settings.max_tokens, settings.max_usd}, *endpoint);
}

std::string request_json(const std::string& run, const PendingRequest& request, const std::string& resume) {
  return nlohmann::ordered_json{{"schema", "ucutlass.request/1"},
                                {"run", run},
                                {"question", request.question},
                                {"request_file", request.request_file},
                                {"answer_file", request.answer_file},
                                {"resume", resume},
                                {"text", request.text}}
             .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

}  // namespace uc::cli
