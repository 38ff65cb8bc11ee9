// Runs on the AArch64 machine: traces the programs of this folder, and prints what it is told of them.
//
// It is one module with the tracer of ProcessTracing, compiled as Embedded Swift: that needs no standard
// library of the machine's own.

import Addresses
import CGuest
import Glibc
import ImageModel
import ProcessLaunch

/// Prints each event of the tracer on a line, with a letter for each process. Functions whose names begin with `step_`
/// are printed at once. Functions that several threads enter at the same time, `race_`, are counted.
final class Listener: BreakpointObserver {
  /// Whether all functions of all images get breakpoints, and not only the functions that are printed or counted. Each
  /// breakpoint takes the emulated machine about 10 ms.
  private let isThorough: Bool
  private let end: String?
  private var letters: [pid_t: String] = [:]
  private var races: [String: Int] = [:]

  init(isThorough: Bool, end: String? = nil) {
    self.isThorough = isThorough
    self.end = end
  }

  private func letter(of pid: pid_t) -> String {
    if let letter = letters[pid] { return letter }
    let letter = String(UnicodeScalar(UInt8(ascii: "A") + UInt8(letters.count)))
    letters[pid] = letter
    return letter
  }

  private func image(at path: String, loaderNotice: String?) -> BreakpointImage? {
    guard let pointer = guest_image(path) else { return nil }
    let image = pointer.pointee
    func address(of name: String) -> StatedAddress? {
      let address = guest_function(pointer, name)
      return address == 0 ? nil : StatedAddress(rawValue: address)
    }
    let functions = (0..<Int(image.function_count)).filter { isThorough || image.are_ours[$0] }
    let segment = BreakpointImage.Segment(
      fileOffset: FileOffset(rawValue: image.file_offset),
      range: AddressRange(start: StatedAddress(rawValue: image.address), size: image.size))
    var places = BreakpointImage(
      functions: functions.map { StatedAddress(rawValue: image.functions[$0]) },
      segments: [segment], identity: [])
    places.loaderNotice = loaderNotice.flatMap(address)
    places.mark = address(of: "orderfile_rt_mark")
    places.end = end.flatMap(address)
    return places
  }

  func image(at path: String) -> BreakpointImage? { image(at: path, loaderNotice: nil) }
  func loader(at path: String) -> BreakpointImage? {
    image(at: path, loaderNotice: "_dl_debug_state")
  }

  func processBegan(_ process: TracedProcess, program: String) {
    print("\(letter(of: process.pid)) begins")
  }
  func processForked(_ process: TracedProcess, by parent: pid_t) {
    print("\(letter(of: process.pid)) forked by \(letter(of: parent))")
  }
  func processEnded(_ pid: pid_t) { print("\(letter(of: pid)) ended") }
  func loaded(_ image: LoadedImage, in pid: pid_t) {
    print("\(letter(of: pid)) loaded \(image.path)")
  }
  func unloaded(_ image: LoadedImage, in pid: pid_t) {
    print("\(letter(of: pid)) unloaded \(image.path)")
  }

  func firstHit(_ function: LoadedAddress, of image: LoadedImage, by thread: TracedThread) {
    guard let known = guest_image(image.path)?.pointee else { return }
    let stated = function.stated(slide: image.slide)
    let index = (0..<Int(known.function_count)).first {
      known.functions[$0] == stated.rawValue
    }
    guard let index else { return print("hit at no function") }
    let name = String(cString: known.names[index])
    if name.hasPrefix("step_") { print("\(letter(of: thread.pid)) hit \(name)") }
    if name.hasPrefix("race_") { races[name, default: 0] += 1 }
  }

  func mark(_ name: [UInt8], by thread: TracedThread) {
    print("\(letter(of: thread.pid)) mark \(String(decoding: name, as: UTF8.self))")
  }
  func isOther(_ path: String, isLoader: Bool) { print("\(path) is another image") }
  func isTranslator(_ program: String) { print("\(program) translates") }
  func isWithoutRights(_ program: String) { print("\(program) lacks rights") }
  func isDebugger(_ program: String) { print("\(program) traces another process") }
  func isInaccessible(_ pid: pid_t, hasBreakpoints: Bool) {
    print("\(letter(of: pid)) is inaccessible")
  }
  func tracerWasKilled() { print("the tracer was killed") }
  func breakpointsLeft(_ count: Int, in pid: pid_t) { print("\(count) breakpoints left") }
  func launchEnded(by reason: StopReason) {
    switch reason {
    case .mark: print("over at the mark")
    case .function: print("over at the function")
    case .time: print("over")
    case .readiness: print("over when ready")
    }
  }

  func finish() {
    let hits = races.values.reduce(0, +)
    if hits > 0 { print("raced to \(races.count) functions, \(hits) hits") }
  }
}

/// Answers that no image has the function that sets marks.
final class NoMarks: PageImages {
  func mark(in path: String) -> RelativeAddress? { nil }
}

@main enum Guest {
  static func main() {
    launch("/static", "order")
    launch("/static", "order", end: "step_third")
    launch("/static", "leave")
    launch("/static", "threads", isThorough: true)
    launch("/static", "children", isThorough: true)
    launch("/static", "blocked")
    guest_block_trap(true)
    launch("/static", "blocking")
    guest_block_trap(false)
    launch("/static", "signals", isThorough: true)
    launch("/static", "stops")
    launch("/static", "crashes")
    launch("/dynamic", "guarded", isThorough: true)
    launch("/dynamic", "plugin")
    launch("/dynamic", "children")
    attach("/dynamic", "serve")
    guest_record("order")
    countPages("/static", "pages")
    countPages("/dynamic", "pages")
    countPages("/static", "children")
    guest_outlives_command { Guest.launch("/static", "waits") }
    guest_outlives_command { Guest.countPages("/static", "waits") }
  }

  static func launch(
    _ program: String, _ scene: String, isThorough: Bool = false, end: String? = nil
  ) {
    print("launch \(program) \(scene)")
    let listener = Listener(isThorough: isThorough, end: end)
    let launch = BreakpointLaunch(ProgramLaunch(command: [program, scene]), stopAt: "last")
    do throws(ProgramLaunch.LaunchError) {
      let result = try launch.run(listener)
      listener.finish()
      print("status \(result.end.exitStatus)")
    } catch { print("error \(error.errno)") }
  }

  /// Prints the touches of pages that begin with a function called `step_page_...`.
  static func countPages(_ program: String, _ scene: String) {
    print("pages \(program) \(scene)")
    do throws(ProgramLaunch.LaunchError) {
      let launch = TracedPageLaunch(ProgramLaunch(command: [program, scene]), PageRequest())
      let result = try launch.run(NoMarks())
      for touch in result.touches.touches
      where result.touches.images[touch.image].path == program {
        guard let image = guest_image(program)?.pointee else { continue }
        let page = touch.page.rawValue + image.start
        for index in 0..<Int(image.function_count)
        where image.functions[index] == page {
          let name = String(cString: image.names[index])
          if name.hasPrefix("step_page_") { print("touched \(name): \(touch.access.word)") }
        }
      }
      print(result.problem == nil ? "no problem" : "a problem")
      print("status \(result.program.end.exitStatus)")
    } catch { print("error \(error.errno)") }
  }

  static func attach(_ program: String, _ scene: String) {
    print("attach \(program) \(scene)")
    let listener = Listener(isThorough: true)
    let pid = guest_start(program, scene)
    do throws(ProgramLaunch.LaunchError) {
      try BreakpointAttachment(processNumber: pid, stopAt: "last").run(listener)
      var status: Int32 = 0
      waitpid(pid, &status, 0)
      listener.finish()
      print("status \(ProgramLaunch.End(waitStatus: status).exitStatus)")
    } catch { print("error \(error.errno)") }
  }
}

extension Access {
  var word: String {
    switch self {
    case .execute: "execute"
    case .read: "read"
    case .write: "write"
    case .kernel: "kernel"
    }
  }
}
