import Addresses
import LibC

/// The facts about an image by which a tracer plants breakpoints in it.
package struct BreakpointImage: Sendable {
  /// The addresses of the image's functions, ascending. Each must be code.
  package var functions: [StatedAddress]
  /// The segments that the loader maps, with stated addresses.
  package var segments: [Segment]
  /// Bytes of the file that must be the same in memory. An image with other bytes is another build,
  /// and is left alone.
  package var identity: [Piece]
  /// The index of this build among the builds that were at its path.
  package var build: Int
  /// Whether first uses of functions are reported.
  package var isRecorded = true
  /// Whether the image is a loader, which may also be started as a program.
  package var isLoader = false
  /// The function that a loader calls after it has mapped images: `_dl_debug_state`.
  package var loaderNotice: StatedAddress?
  /// The function that the program calls with the name of a mark: `orderfile_rt_mark`.
  package var mark: StatedAddress?
  /// The function `clone` of the C library.
  package var clone: StatedAddress?
  /// The function `syscall` of the C library.
  package var systemCall: StatedAddress?
  /// The function `ptrace` of the C library.
  package var traceRequest: StatedAddress?
  /// The function whose first use ends the recording.
  package var end: StatedAddress?

  package struct Segment: Sendable {
    package var fileOffset: FileOffset
    package var range: AddressRange

    package init(fileOffset: FileOffset, range: AddressRange) {
      self.fileOffset = fileOffset
      self.range = range
    }
  }

  package struct Piece: Sendable, Equatable {
    package var address: StatedAddress
    package var bytes: [UInt8]

    package init(address: StatedAddress, bytes: [UInt8]) {
      self.address = address
      self.bytes = bytes
    }
  }

  package init(
    functions: [StatedAddress], segments: [Segment], identity: [Piece], build: Int = 0
  ) {
    self.functions = functions
    self.segments = segments
    self.identity = identity
    self.build = build
  }

  /// The addresses of breakpoints that stay when they are hit.
  var lasting: [(purpose: AddressSpace.Stop.Purpose, address: StatedAddress)] {
    let places: [(AddressSpace.Stop.Purpose, StatedAddress?)] = [
      (.mark, mark), (.clone, clone), (.systemCall, systemCall),
      (.traceRequest, traceRequest),
    ]
    return places.compactMap { purpose, address in address.map { (purpose, $0) } }
  }

  /// The image's slide if `mapping` is one of its mappings; else `nil`.
  func slide(of mapping: ProcessMapping) -> Slide? {
    let page = UInt64(sysconf(Int32(_SC_PAGESIZE)))
    for segment in segments {
      let start = segment.fileOffset.roundedDown(to: page)
      guard start == mapping.fileOffset else { continue }
      let before = segment.fileOffset - start
      return Slide(
        from: StatedAddress(rawValue: segment.range.start.rawValue &- before),
        to: mapping.addresses.lowerBound)
    }
    return nil
  }
}

/// An image in the memory of a process.
package struct LoadedImage: Sendable {
  package var path: String
  /// The index of the build, as in `BreakpointImage.build`.
  package var build: Int
  package var slide: Slide
  /// The addresses of the image's code.
  package var text: Range<LoadedAddress>
}
