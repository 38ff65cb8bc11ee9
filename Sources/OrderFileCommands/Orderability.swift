// What keeps a linker from following an order file, as far as it can be seen before or after the link.

import ImageModel
import OrderFileFormat
import Reporting
import Symbolication

extension Diagnostic {
  /// Ordered functions that share their input section with others: the linker moves the whole section
  /// or nothing. Only a layout with input sections tells; `nil` if there is nothing to say.
  static func sharedInputSections(
    _ functions: [Int], in layout: Layout, path: String
  ) -> Diagnostic? {
    let shared = functions.count { index in
      let function = layout.functions[index]
      guard let section = function.inputSection else { return false }
      return isSharedSection(layout.names[section], of: layout.names[function.name])
    }
    guard shared > 0, 2 * shared >= functions.count else { return nil }
    return Diagnostic(
      "\(shared) of \(counted(functions.count, "ordered function")) have no input section of their "
        + "own: the linker can't move them", context: [path],
      hint: "compile with -ffunction-sections (Swift: -Xfrontend -function-sections)")
  }

  /// Most of what an order file asks for is not so; `nil` if the linker obeyed.
  static func disobeyed(_ check: OrderFileCheck, path: String) -> Diagnostic? {
    guard check.entries > 1, 2 * check.inOrder < check.entries else { return nil }
    return Diagnostic(
      "the linker did not follow the order file: \(check.inOrder) of "
        + "\(counted(check.entries, "entry", "entries")) are where it wants them", context: [path],
      hint: "was it linked with this file, by a linker of its dialect, from objects compiled with "
        + "-ffunction-sections (Swift: -Xfrontend -function-sections)?")
  }

  /// An image that has no identity of its own.
  static func weakID(_ image: TraceImage) -> Diagnostic? {
    guard image.id?.kind == .weak else { return nil }
    return Diagnostic(
      "missing build ID: told from other builds by its program headers alone",
      context: [image.path], hint: "link with -Wl,--build-id")
  }
}
