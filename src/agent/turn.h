#pragma once
// Why: problems that share a budget take turns, attempt by attempt, and who is next is decided elsewhere; the
// loop of a problem asks before it tries anything.

namespace uc {

/// One problem's side of a schedule. A run that is resumed asks for its stored attempts too, so that the
/// schedule decides as it did.
class Turn {
 public:
  virtual ~Turn() = default;
  /// What has to be beaten, and the certified bound, microseconds. Called once, before the first attempt.
  virtual void begin(double reference_us, double certified_us) = 0;
  /// Waits until the next attempt may be made. False: the problem has had enough.
  virtual bool next() = 0;
  /// The attempt ended; `time_us` is 0 unless it was accepted.
  virtual void done(double time_us) = 0;
};

}  // namespace uc
