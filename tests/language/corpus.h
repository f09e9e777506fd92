#pragma once
// Why: the corpora of the language are files of many programs, which the tool and the tests read alike.
#include <random>
#include <string>
#include <vector>

#include "catalog/catalog.h"

namespace uc::corpus {

struct Entry {
  std::string name;
  std::string text;
};

/// A file of entries: a line `%%%% name`, the text, and one newline that is not of the text.
std::vector<Entry> read(const std::string& bytes);
std::string write(const std::vector<Entry>& entries);

/// Ids of the errors that the parser finds.
std::vector<std::string> parse_errors(const std::string& source);
/// Ids of the errors that check finds, apart from what no back end emits yet.
std::vector<std::string> check_errors(const Catalog& catalog, const std::string& source);

/// Programs that parse: the rows' own, generated ones that pass check, all of these laid out anew, samples.
std::vector<Entry> valid(const Catalog& catalog);
/// Programs that check: expressions, chains and products over the catalog's pointwise operators.
std::string well_typed(const Catalog& catalog, std::mt19937_64& engine);
/// The same tokens with other blanks, line breaks and comments.
std::string laid_out(const std::string& source, std::mt19937_64& engine);

/// Programs that the parser refuses: mutations of valid ones, each kind many times.
std::vector<Entry> broken(const std::vector<Entry>& valid);

}  // namespace uc::corpus
