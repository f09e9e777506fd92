#pragma once
// Why: which direct kernel a convolution gets, and how long it takes, is asked by the back end's row, by its
// emitter and by its model.
#include <cstdint>

#include "catalog/backend_spec.h"

namespace uc {

/// A kernel of templates/uc_conv_direct.cuh.
struct DirectConv {
  bool tiled = false;           ///< the filter is known to the kernel, and results share what they read
  bool channels_first = false;  ///< neighbouring threads are neighbours along the last dimension
  int64_t vector = 1;           ///< channels of a thread
  int64_t places = 1;           ///< results of a thread along the second of three dimensions
};
DirectConv direct_conv(const Convolution& kernel);

/// Every channel is a group of its own.
bool depthwise(const Convolution& kernel);

/// Number `d` of three dimensions (the missing ones come first, of extent 1): filter, result, stride,
/// dilation.
struct DirectWindow {
  int64_t filter = 1, out = 1, stride = 1, dilation = 1;
};
DirectWindow direct_window(const Convolution& kernel, size_t d);

/// Of a convolution that direct_conv has a kernel for.
Estimate direct_conv_model(const Launch& launch, const DeviceSpec& device);

}  // namespace uc
