import Tasks

/// Start-up tasks in Swift: work that registers itself for a stage of the launch. `orderfile_tasks.h` documents when
/// tasks run, and docs/how-to/TASKS.md how to register them.
///
///     import OrderFileTasks
///     OrderFileTasks.run("first screen")
public enum OrderFileTasks {
  /// Runs the tasks of `stage` that have not run yet, of all loaded images, on the calling thread.
  ///
  /// May be called from any thread and from a task.
  ///
  /// - Returns: the number of tasks that this call ran. A stage without tasks is no error.
  @discardableResult
  public static func run(_ stage: String) -> Int {
    Int(stage.withCString { orderfile_run_tasks($0) })
  }

  /// A registered task, with the members of `struct orderfile_task`.
  ///
  /// It is a tuple, and its names are numbers, because Swift 6.3 puts neither a structure nor a string into a section.
  public typealias Task = (
    /// The version of the structure: 1.
    version: UInt16,
    /// The size of the structure in bytes: 96.
    size: UInt16,
    /// Within a stage, tasks with a lower number run first.
    priority: Int32,
    function: @convention(c) () -> Void,
    /// No flag is defined: 0.
    flags: UInt32,
    stage: Stage,
    name: Name
  )

  /// The UTF-8 of a stage's name, at most 27 bytes, as numbers of the machine's byte order.
  public typealias Stage = (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32)

  /// The UTF-8 of a task's name, at most 47 bytes, as numbers of the machine's byte order.
  public typealias Name = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
}
