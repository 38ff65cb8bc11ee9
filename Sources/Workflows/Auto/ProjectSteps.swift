import ProcessLaunch

/// Tells what is done, and how long it takes.
struct ProjectSteps {
  let progress: (ProjectOrdering.Progress) -> Void

  func timed<R, E: Error>(_ name: String, _ text: String, _ body: () throws(E) -> R) throws(E) -> R
  {
    let start = ClockReading.now().nanoseconds
    progress(.begins(name, text))
    let result = try body()
    progress(.ends(name, text, nanoseconds: ClockReading.now().nanoseconds - start))
    return result
  }
}
