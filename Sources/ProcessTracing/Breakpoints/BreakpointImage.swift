import Addresses

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a tracer needs to know about an image to plant breakpoints in it.
package struct BreakpointImage: Sendable {
  /// The first bytes of its functions, ascending. Each must be code.
  package var functions: [StatedAddress]
  /// The segments that the loader maps, with stated addresses.
  package var segments: [Segment]
  /// The function that a loader calls after it has mapped images: `_dl_debug_state`.
  package var loaderNotice: StatedAddress?
  /// The function that the program calls with the name of a mark: `orderfile_rt_mark`.
  package var mark: StatedAddress?
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

  package init(
    functions: [StatedAddress], segments: [Segment], loaderNotice: StatedAddress? = nil,
    mark: StatedAddress? = nil, end: StatedAddress? = nil
  ) {
    self.functions = functions
    self.segments = segments
    self.loaderNotice = loaderNotice
    self.mark = mark
    self.end = end
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
  package var slide: Slide
  /// The addresses of its code.
  package var text: Range<LoadedAddress>
}
