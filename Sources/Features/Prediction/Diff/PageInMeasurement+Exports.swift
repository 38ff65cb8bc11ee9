import Addresses
import CommandSupport
import ImageModel
import LaunchMeasurement
import TraceSymbolication

extension PageInMeasurement.Recording {
  /// Counts the page-ins of the image of `release` in exports of one recording.
  ///
  /// - Parameter option: the option that named the exports, for messages.
  /// - Throws: an error if `release` is a link map, since a recording knows an image by its UUID; `mismatch`
  ///   if the recording is of another build.
  init(
    exports paths: [String], of release: ReleaseLayout, option: String, pageSize: PageSize
  ) throws(Diagnostic) {
    guard let image = release.image else {
      throw Diagnostic(
        "\(option) needs an image: a link map has no UUID, by which the recorded image is found",
        context: [release.path], hint: "give the linked image in place of the link map")
    }
    var exports: [XctraceLaunch.Export] = []
    for path in paths { exports.append((path, try InputFile.bytes(path))) }
    let launch = try XctraceLaunch(exports, of: image)
    let faults = launch.faults.filter(\.isPageIn).map {
      PageInFault(address: $0.address, durationNanoseconds: $0.durationNanoseconds)
    }
    self.init(
      paths: paths, process: String(decoding: launch.process.label, as: UTF8.self),
      pageIns: MeasuredPageIns(faults, in: image.places, pageSize: pageSize))
  }
}

extension Image {
  /// The sections, followed by the segments: the header and `__LINKEDIT` are in no section.
  fileprivate var places: [(name: SymbolName, range: AddressRange)] {
    layout.sections.map { (name: $0.name, range: $0.range) } + segments
  }
}
