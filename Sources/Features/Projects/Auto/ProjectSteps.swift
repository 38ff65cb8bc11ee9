import ProcessLaunch

/// Reports each step, and how long it takes.
struct ProjectSteps {
  let progress: (ProjectOrdering.Progress) -> Void

  /// - Parameter log: the path of the file with the output of the commands that the step runs; `nil` if there is none.
  func timed<R, E: Error>(
    _ name: String, _ text: String, log: String? = nil, _ body: () throws(E) -> R
  ) throws(E) -> R {
    let start = ClockReading.now().nanoseconds
    progress(.begins(name, text, log: log))
    let result = try body()
    progress(.ends(name, text, nanoseconds: ClockReading.now().nanoseconds - start))
    return result
  }
}
