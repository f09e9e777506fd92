#pragma once
// Why: children run in process groups of their own, so neither Ctrl-C nor the death of this process reaches
// them; a compiler or a problem's endless loop would go on for ever. A guardian outlives this process just
// long enough to end them, however it died.
namespace uc::detail {

/// Where a child writes its own group (an int, positive) before exec; it is killed once this process is gone.
/// Starts the guardian at the first call. -1: none could be started, and children may outlive a killed
/// parent.
int guardian_fd();

/// The group is over: its number may be used again by others.
void forget_group(int group);

}  // namespace uc::detail
