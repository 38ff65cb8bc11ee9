import Addresses
import ImageModel
import JSON
import ObjectFormat

/// A start-up task that an image registers (`orderfile_tasks.h`).
package struct AuditedTask: Sendable {
  /// Why the task never runs.
  package enum Problem: String, CaseIterable, Sendable {
    /// The image has another task of this stage and name, which runs first.
    case duplicate
    /// The code that runs tasks does not know the version or the flags of the task, or no zero byte ends its name.
    case unknown
    /// The task is in a member of an archive that the linker did not take.
    case unlinked
  }

  /// The name of the image that registers the task.
  package var image: SymbolName
  package var stage: SymbolName
  package var name: SymbolName
  /// Tasks of a stage run by ascending priority.
  package var priority: Int
  /// The address of the task's function; `nil` if the file does not state it.
  package var address: StatedAddress?
  /// The name of the task's function; `nil` if it is unknown.
  package var function: SymbolName?
  /// The object file that defines the function, or `libx.a(member.o)`; `nil` if it is unknown.
  package var objectFile: SymbolName?
  /// Why the task never runs; `nil` if it runs with its stage.
  package var problem: Problem?

  package init(image: SymbolName, stage: SymbolName, name: SymbolName, priority: Int) {
    self.image = image
    self.stage = stage
    self.name = name
    self.priority = priority
  }
}

extension AuditedTask {
  init(_ task: StartupTask, of image: SymbolName) {
    self.init(
      image: image, stage: SymbolName(bytes: task.stage), name: SymbolName(bytes: task.name),
      priority: Int(task.priority))
    address = task.function
    if !task.isKnown { problem = .unknown }
  }
}

extension AuditedTask: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("address", address)
    json.member("function", function)
    json.member("image", image)
    json.member("name", name)
    json.member("objectFile", objectFile)
    json.member("priority", priority)
    json.optional("problem", problem?.rawValue)
    json.member("stage", stage)
  }
}

extension [AuditedTask] {
  /// Returns the tasks by stage, then in the order in which the tasks of a stage run; tasks that the linker did not take
  /// come last in their stage. A task gets the problem `duplicate` if an earlier task has the same image, stage and name.
  ///
  /// - Precondition: the tasks are in the order of their images.
  func inOrder() -> [AuditedTask] {
    var sorted = enumerated().sorted { one, other in
      let (a, b) = (one.element, other.element)
      if a.stage != b.stage { return a.stage < b.stage }
      if (a.problem == .unlinked) != (b.problem == .unlinked) { return b.problem == .unlinked }
      return (a.priority, a.name, one.offset) < (b.priority, b.name, other.offset)
    }.map(\.element)
    var seen: Set<[SymbolName]> = []
    for place in sorted.indices where sorted[place].problem == nil {
      let task = sorted[place]
      if !seen.insert([task.image, task.stage, task.name]).inserted {
        sorted[place].problem = .duplicate
      }
    }
    return sorted
  }
}
