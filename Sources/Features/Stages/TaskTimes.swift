// The times of start-up tasks
//
// A task is a pair of marks (Runtime/Tasks/orderfile_tasks.c). A task may run others, so pairs may be nested; and tasks
// run on several threads, where each thread has marks of its own. The same name can occur in two images: then the end
// belongs to the begin that came last. A task that never ends, because it throws or ends the process, has no second mark.

/// What a mark of a start-up task says.
package enum TaskMark: Hashable, Sendable {
  /// The task `NAME of STAGE` begins.
  case begin(String)
  /// The task `NAME of STAGE` ended.
  case end(String)

  /// Reads the name of a mark; `nil` if the mark is no mark of a task.
  package init?(_ mark: String) {
    func rest(after prefix: String) -> String? {
      mark.hasPrefix(prefix) ? String(mark.dropFirst(prefix.count)) : nil
    }
    if let name = rest(after: "begin task ") {
      self = .begin(name)
    } else if let name = rest(after: "end task ") {
      self = .end(name)
    } else {
      return nil
    }
  }
}

/// Makes tasks, each with its times, from the marks of one launch.
struct TaskTimes {
  struct Task {
    /// `NAME of STAGE`, as the marks have it.
    var name: String
    var thread: Int?
    /// Nanoseconds since the process began.
    var start: Double
    var end: Double
    /// Whether the mark at its end is missing.
    var isOpen = false

    var stage: LaunchStage {
      LaunchStage(
        TaskTimes.rowStart + name + (isOpen ? TaskTimes.openEnd : ""), .task,
        nanoseconds: end - start, thread: thread)
    }
  }

  /// What the name of a task's row begins with, and what it ends with if the task did not end.
  static let rowStart = "task "
  static let openEnd = ", which did not end"

  private var open: [Task] = []
  private var closed: [Task] = []

  /// Adds a mark. Marks of one thread are in the order of time.
  ///
  /// - Returns: whether the mark belongs to a task.
  mutating func add(_ mark: String, at time: Double, thread: Int?) -> Bool {
    switch TaskMark(mark) {
    case .begin(let name):
      open.append(Task(name: name, thread: thread, start: time, end: time))
      return true
    case .end(let name):
      guard let place = open.lastIndex(where: { $0.thread == thread && $0.name == name }) else {
        return false
      }
      var task = open.remove(at: place)
      task.end = max(time, task.start)
      closed.append(task)
      return true
    case nil: return false
    }
  }

  /// The time at which the last task began or ended; `nil` without tasks.
  var lastEnd: Double? { (closed + open).map(\.end).max() }

  /// Returns all tasks, by the time of their end. Tasks without an end end at `time`.
  func ended(at time: Double) -> [Task] {
    let unended = open.map { task in
      var task = task
      task.end = max(time, task.start)
      task.isOpen = true
      return task
    }
    return (closed + unended).enumerated().sorted {
      ($0.element.end, $0.offset) < ($1.element.end, $1.offset)
    }.map(\.element)
  }
}
