import FuzzTargets

/// The target that libFuzzer's callback runs: a function of C has no context. Set before the first call, and never
/// again.
nonisolated(unsafe) var chosen: FuzzTarget?
let memory = PeakMemory()
