#pragma once
// Why: what a kernel over rows computes, as the `Body` that templates/uc_rows.cuh goes over rows with.
#include <optional>
#include <string>
#include <vector>

#include "emit/cpp_tree.h"
#include "plan/rows_phases.h"
#include "plan/rows_stages.h"

namespace uc {

class RowsBody {
 public:
  explicit RowsBody(const RowsPhase& phase);

  /// Empty when it can be written, else one line on why not.
  static std::string refuses(const RowsPhase& phase);

  /// Its structs in `namespace <name>`, `Body` the last.
  std::vector<cpp::Decl> declare(const std::string& name) const;

 private:
  // What a view's stride along the fastest dimension allows.
  enum class Access : uint8_t { vector, broadcast, strided };
  Access access(uint32_t view) const;
  bool differs(uint32_t view) const;  // along a row
  bool leaves(uint32_t view) const;   // memory, where its windows lie over padding
  std::vector<uint32_t> views_behind(const std::vector<NodeId>& nodes) const;
  std::vector<NodeId> arguments(const RowsStage& stage) const;
  std::vector<NodeId> effects(bool once) const;
  std::string type(uint32_t view) const;
  std::string pack(uint32_t view) const;
  std::string address(uint32_t view, bool column) const;
  std::string element(uint32_t view, const std::string& index) const;
  cpp::Struct packs(const std::string& name, const std::vector<uint32_t>& views) const;
  std::vector<cpp::Statement> column_places() const;
  std::vector<cpp::Statement> load(const std::vector<uint32_t>& views, const std::string& into,
                                   bool column) const;
  void store(std::vector<cpp::Statement>& out, const Effect& effect, bool column) const;
  std::vector<cpp::Statement> expression(const std::vector<NodeId>& wanted) const;
  cpp::Struct met() const;
  cpp::Function place() const;
  cpp::Function loader(const std::string& name, const std::string& packs, const std::vector<uint32_t>& views,
                       bool column) const;
  cpp::Struct stage(size_t index) const;
  cpp::Function finish() const;
  cpp::Function finish_row() const;
  cpp::Struct body() const;

  const Rows& rows_;
  const RowsShape& shape_;
  const RowsLayout& layout_;
  std::vector<RowsStage> stages_;
  std::vector<uint32_t> data_, late_, same_;  // views that are read: for what meets, for results, once a row
};

}  // namespace uc
