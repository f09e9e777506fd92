#pragma once
// Why: what to try first is one formula, so that it can be read, tested and replaced.

namespace uc {

/// ROI(h) = S^(1 + max(0, log10(g / 5))) / (R_impl R_perf)   (arXiv 2603.29010)
/// S: expected speedup over the best program. g: t_best / t_SOL, the gap; far from the bound, bold changes
/// count for more. R_impl, R_perf in [1, 5]: how likely it is that the change cannot be made, or does not
/// pay. Values outside are clamped.
double roi(double speedup, double gap, double implementation_risk, double performance_risk);

/// The speedup to expect of measuring `count` configurations that a model ranked with a relative error of
/// about `sigma`: the best of n normal errors lies sqrt(2 ln n) standard deviations out.
double expected_sweep_gain(int count, double sigma = 0.06);

}  // namespace uc
