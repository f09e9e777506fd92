#pragma once
// Why: one picture tells how far a whole suite is from the hardware's limit: the certified bound of each
// problem against its measured time. On the diagonal a program runs at light speed; nothing can be below it.
#include <map>
#include <string>
#include <vector>

#include "report/problem_bounds.h"
#include "report/times.h"
#include "store/store.h"

namespace uc {

/// Bounds below this, in microseconds, are of results that are known before the inputs are, or all but: a
/// time is no multiple of them.
inline constexpr double kLeastBound = 0.1;

/// One problem of one series.
struct LightPoint {
  std::string problem;  ///< "level1/1_Square_matrix_multiplication_"
  std::string label;    ///< for people: "L1/1 Square matrix multiplication"
  int64_t level = 0;    ///< 0: none
  double bound_us = 0;  ///< certified
  std::string by;       ///< what bounds it
  double time_us = 0;
  std::string what;                       ///< how it ran: "compile_tf32", "attempt 7 of 20260301-142301-7f3a"
  Precision precision = Precision::tf32;  ///< of the bound
  bool modelled = false;

  bool has_gap() const { return bound_us >= kLeastBound; }
  double gap() const { return has_gap() ? time_us / bound_us : 0; }
  /// Below the bound: either the bound or the time is wrong.
  bool impossible() const { return time_us < bound_us; }
};

struct LightSeries {
  std::string name;                ///< "PyTorch"
  std::vector<LightPoint> points;  ///< in the order of the problems
};

struct LightSpeed {
  std::string device, device_name;
  double clock_mhz = 0;
  Precision precision = Precision::tf32;
  std::vector<LightSeries> series;    ///< the first is what others are compared with
  std::vector<std::string> sources;   ///< where times come from, for the caption
  std::string command;                ///< that makes this picture
  std::vector<std::string> left_out;  ///< problems and times that are not shown, and why

  std::vector<const LightPoint*> impossible() const;
};

/// The best time of each problem and series that `precision` allows on this device and that keeps the
/// problem's types. What is left out, and why, goes to `out.left_out`.
void add_times(LightSpeed& out, const std::vector<ProblemBound>& bounds,
               const std::vector<ProblemTime>& times);

/// A proven result of a stored run.
struct ProvenTime {
  std::string problem, problem_hash;
  std::string what;
  Precision precision = Precision::tf32;
  bool modelled = false;
  double time_us = 0;
};
/// The best program of each problem that passed its checks on `device`, of all runs of a store.
Result<std::vector<ProvenTime>> proven_times(Store& store, std::string_view device);

/// Their points; `precisions` are those of ProblemBound::certified, in order.
void add_proven(LightSpeed& out, const std::vector<ProblemBound>& bounds,
                const std::vector<Precision>& precisions, const std::vector<ProvenTime>& times);

/// Geometric mean of the gaps of points that have one; 0 without any.
double mean_gap(const std::vector<const LightPoint*>& points);
/// Points of a series by level, in order of levels.
std::map<int64_t, std::vector<const LightPoint*>> by_level(const LightSeries& series);

/// A picture of its own, in colours for light and dark ground.
std::string light_speed_svg(const LightSpeed& data);
/// A page with the picture and a table of all points.
std::string light_speed_html(const LightSpeed& data);
/// Counts, mean gaps, the nearest and the farthest. For people.
std::string light_speed_text(const LightSpeed& data);
/// One object of schema ucutlass.light_speed/1.
std::string light_speed_json(const LightSpeed& data);

}  // namespace uc
