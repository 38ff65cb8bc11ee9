import Addresses
import ImageModel
import JSON
import PagesFormat
import Rendering

/// A function that a launch used, and how much of it ran.
package struct ExecutedFunction: Hashable, Sendable {
  /// The step of the function's first use.
  package var step: Int
  /// The image that contains the function, as an index into the trace's `images`.
  package var image: Int
  package var address: StatedAddress
  /// The name of the function; `nil` if it is unknown.
  package var name: SymbolName?
  package var sizeBytes: UInt64
  /// The number of bytes of the function that ran; equal to `sizeBytes` if no blocks were recorded.
  package var executedBytes: UInt64
  /// The number of the function's basic blocks that ran; `nil` if no blocks were recorded.
  package var blockCount: Int?

  package init(
    step: Int, image: Int, address: StatedAddress, name: SymbolName?, sizeBytes: UInt64,
    executedBytes: UInt64, blockCount: Int?
  ) {
    self.step = step
    self.image = image
    self.address = address
    self.name = name
    self.sizeBytes = sizeBytes
    self.executedBytes = executedBytes
    self.blockCount = blockCount
  }

  package func write(to json: inout JSONWriter, _ demangle: NameWording?) {
    json.member("address", address)
    json.optional("blocks", blockCount)
    if let demangle, let name { json.member("demangledName", demangle(name)) }
    json.member("executedBytes", executedBytes)
    json.member("image", image)
    json.optional("name", name)
    json.member("sizeBytes", sizeBytes)
    json.member("step", step)
  }
}
