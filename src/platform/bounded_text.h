#pragma once
// Why: a child may print without end; what is kept of it must not.
#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace uc::detail {

/// The first and the last half of a text that may be endless.
class BoundedText {
 public:
  explicit BoundedText(size_t limit) : half_(std::max<size_t>(limit / 2, 1)) {}
  void append(const char* bytes, size_t n) {
    const size_t to_head = std::min(n, half_ - head_.size());
    head_.append(bytes, to_head);
    tail_.append(bytes + to_head, n - to_head);
    if (tail_.size() > 2 * half_) {
      cut_ += tail_.size() - half_;
      tail_.erase(0, tail_.size() - half_);
    }
  }
  std::string text() const {
    const size_t extra = tail_.size() > half_ ? tail_.size() - half_ : 0;
    if (cut_ + extra == 0) return head_ + tail_;
    return fmt::format("{}\n... {} bytes left out ...\n{}", head_, cut_ + extra, tail_.substr(extra));
  }

 private:
  size_t half_, cut_ = 0;
  std::string head_, tail_;
};

}  // namespace uc::detail
