// Folding payloads. The files are read twice: first the devices that ran each function are counted, then the payloads are
// added as launches, without the functions that too few devices ran. A payload is in memory only while it is read, so
// memory depends on the images and not on the number of payloads.
//
// Functions that too few devices ran are left out of every launch. The profile keeps some launches whole, so it can
// show the launch of a single device, but only as a combination of functions that each ran on enough devices.
//
// Payloads come from devices that nobody controls. So a payload that is truncated, damaged, of a later version or of another
// build is counted and left out. It is never an error, because one bad payload would otherwise spoil a million good
// ones.

import Addresses
import ByteReading
import CommandSupport
import ImageModel
import ProfileFormat
import Rendering
import TraceFormat
import TraceSymbolication

/// The payloads in some files, with the images to which they belong.
package struct PayloadFolding {
  /// Why payloads are left out.
  package enum Refusal: Int, CaseIterable, Sendable {
    case truncated, damaged, laterVersion, otherBuild, tooFewDevices
  }

  /// A payload that is counted.
  package struct Launch {
    package var path: String
    package var weight: UInt64
    fileprivate var payload: FieldPayload
    fileprivate var images: [(index: Int, isProgram: Bool, uses: [Int])]
  }

  private let files: [LaunchFiles.File]
  private let images: PayloadImages
  private let leastDevices: Int
  private var devices: [DeviceCounts]
  /// The tokens of devices, at most `leastDevices` of them.
  private var tokens: [UInt64] = []
  private var payloadCount = 0
  private var refused: [Int]
  private var omittedTables = 0
  private var isUsed: [Bool]

  /// - Parameters:
  ///   - recorded: the paths of the recorded images.
  ///   - leastDevices: the number of devices that a function needs to be shown.
  /// - Throws: an error if a file or an image can't be read, or if no image is given.
  package init(
    _ files: [LaunchFiles.File], recorded: [String], _ architecture: Architecture?,
    leastDevices: Int
  ) throws(Diagnostic) {
    guard !recorded.isEmpty else {
      throw Diagnostic(
        "missing the recorded image: a payload has numbers in place of names",
        context: [files.first?.path].compactMap { $0 },
        remedies: [.givenAsRecorded("give the instrumented build")], severity: .mismatch)
    }
    self.files = files
    self.leastDevices = leastDevices
    images = try PayloadImages(recorded, architecture)
    devices = images.images.map { DeviceCounts(guards: $0.functions.count, least: leastDevices) }
    refused = Refusal.allCases.map { _ in 0 }
    isUsed = images.images.map { _ in false }
    for file in files { try count(file) }
  }

  /// Counts the devices of the payloads in `file`.
  private mutating func count(_ file: LaunchFiles.File) throws(Diagnostic) {
    let bytes = try file.bytes()
    for payload in FieldPayloads(bytes) {
      payloadCount += 1
      switch payload {
      case .failure(let error): refused[error.refusal.rawValue] += 1
      case .success(let payload):
        omittedTables += payload.omittedTables
        let tables = matched(payload)
        if tables.isEmpty { refused[Refusal.otherBuild.rawValue] += 1 }
        for (_, image) in tables { isUsed[image] = true }
        guard let token = payload.token else { continue }
        if !tables.isEmpty { tokens.insert(token, upTo: leastDevices) }
        for (table, image) in tables { devices[image].add(table.functions, token: token) }
      }
    }
    bytes.release(bytes.all.indices)
  }

  /// The tables of known images. A payload has at most one table of each image; further ones are not counted.
  private func matched(_ payload: FieldPayload) -> [(table: FieldPayload.Table, image: Int)] {
    var known: [(table: FieldPayload.Table, image: Int)] = []
    for table in payload.tables {
      guard let image = images.index(of: table, machine: payload.machine),
        !known.contains(where: { $0.image == image })
      else { continue }
      known.append((table, image))
    }
    return known
  }

  /// Calls `body` with each payload that has functions to show.
  ///
  /// - Throws: what `body` throws; also an error if a file is gone since its devices were counted.
  package mutating func forEachLaunch(
    _ body: (Launch) throws(Diagnostic) -> Void
  ) throws(Diagnostic) {
    refused[Refusal.tooFewDevices.rawValue] = 0
    for file in files {
      let bytes = try file.bytes()
      for case .success(let payload) in FieldPayloads(bytes) {
        let tables = matched(payload)
        guard !tables.isEmpty else { continue }
        var launch = Launch(path: file.path, weight: file.weight, payload: payload, images: [])
        for (table, image) in tables {
          let uses = shown(table.functions, of: image)
          if !uses.isEmpty { launch.images.append((image, table.isProgram, uses)) }
        }
        if launch.images.isEmpty {
          refused[Refusal.tooFewDevices.rawValue] += 1
        } else {
          try body(launch)
        }
      }
      bytes.release(bytes.all.indices)
    }
  }

  /// The functions of `all` that enough devices ran, in the order of their quarters, and by address within a quarter. Several
  /// guards may be of one function.
  private func shown(_ all: [FieldPayload.Function], of image: Int) -> [Int] {
    let functions = images.images[image].functions
    let shown = all.filter { leastDevices <= 1 || devices[image].isShown($0.guardIndex) }
    let sorted = shown.sorted { a, b in
      (a.quarter, functions[a.guardIndex].address) < (b.quarter, functions[b.guardIndex].address)
    }
    var isListed: Set<StatedAddress> = []
    return sorted.map(\.guardIndex).filter { isListed.insert(functions[$0].address).inserted }
  }

  /// Adds `launch` to `fold`.
  ///
  /// - Returns: `false` if there would be more launches than a profile can count; then nothing is added.
  package func add(_ launch: Launch, to fold: inout ProfileFold, weight: UInt64) -> Bool {
    let numbers = launch.images.map {
      fold.image(Profile.Image(images.images[$0.index], machine: launch.payload.machine))
    }
    let uses = zip(launch.images, numbers).map { image, number in
      let functions = images.images[image.index].functions
      return ProfileFold.ImageUses(
        image: number,
        uses: image.uses.map { ProfileFold.FunctionUse(address: functions[$0].address) })
    }
    let program = zip(launch.images, numbers).first { $0.0.isProgram }?.1
    let end = ProfileFold.Launch(end: Trace.LaunchEnd(launch.payload.end))
    guard let places = fold.add(end, uses: uses, program: program, weight: weight) else {
      return false
    }
    for (image, places) in zip(launch.images, places) {
      for (use, place) in zip(image.uses, places.functions) {
        guard let body = images.images[image.index].functions[use].body else { continue }
        fold.describe(place, size: body.size, objectFile: body.objectFile, names: body.names)
      }
    }
    return true
  }

  /// Adds all launches to `fold`.
  ///
  /// - Throws: an error if nothing can be shown, or if there are too many launches.
  mutating func fold(into fold: inout ProfileFold) throws(Diagnostic) {
    var count = 0
    var result = fold
    let folding = self
    try forEachLaunch { launch throws(Diagnostic) in
      count += 1
      guard folding.add(launch, to: &result, weight: launch.weight) else {
        throw .tooManyLaunches(launch.path)
      }
    }
    fold = result
    if count == 0 { throw nothingShown }
  }

  /// The error if no payload has a function to show.
  package var nothingShown: Diagnostic {
    let context = files.count == 1 ? [files[0].path] : []
    guard isUsed.contains(true) else {
      return Diagnostic(
        "image ID mismatch: none of \(counted(payloadCount, "payload")) is of a given image\(reasons(" (", ")"))",
        context: context,
        remedies: [.givenAsRecorded("give the instrumented build that the devices ran")],
        severity: .mismatch)
    }
    return Diagnostic(
      "nothing can be shown: expected functions that at least \(counted(leastDevices, "device")) ran, found payloads of "
        + (tokens.count < leastDevices ? "\(counted(tokens.count, "device"))" : "other functions"),
      context: context, hint: "collect payloads of more devices",
      severity: .nothingRecorded)
  }

  /// The paths of images that have no payload.
  package var unusedImages: [String] {
    zip(images.paths, isUsed).filter { !$0.1 }.map(\.0)
  }

  /// Warnings about payloads that are left out, and about images.
  package var warnings: [Diagnostic] {
    let context = files.count == 1 ? [files[0].path] : []
    var warnings = images.warnings
    let leftOut = refused.reduce(0, +)
    if leftOut > 0 {
      warnings.append(
        Diagnostic(
          "left out: \(leftOut) of \(counted(payloadCount, "payload"))\(reasons(": ", ""))",
          context: context))
    }
    if omittedTables > 0 {
      warnings.append(
        Diagnostic(
          "payloads lack \(counted(omittedTables, "image")) that had no room or no pc-table",
          context: context, hint: "let payloads be larger with ORDERFILE_PAYLOAD_SIZE"))
    }
    return warnings
  }

  private func reasons(_ before: String, _ after: String) -> String {
    let parts = zip(Refusal.allCases, refused).filter { $0.1 > 0 }.map {
      "\($0.1) \($0.0.wording(leastDevices))"
    }
    return parts.isEmpty ? "" : before + parts.joined(separator: ", ") + after
  }
}

extension PayloadFolding.Refusal {
  fileprivate func wording(_ leastDevices: Int) -> String {
    switch self {
    case .truncated: "truncated"
    case .damaged: "damaged"
    case .laterVersion: "of a later version of the format"
    case .otherBuild: "of another build"
    case .tooFewDevices: "without a function that \(counted(leastDevices, "device")) ran"
    }
  }
}

extension ParseError {
  /// Why a payload with this error is left out.
  package var refusal: PayloadFolding.Refusal {
    switch reason {
    case .truncated: .truncated
    case .unsupported: .laterVersion
    default: .damaged
    }
  }
}

extension Profile.Image {
  fileprivate init(_ image: GuardedImage, machine: UInt32) {
    self.init(path: image.image.path, id: image.image.id)
    self.machine = machine
    recordingMethods = [.instrumentation]
    text = image.text
    guardCount = image.functions.count
  }
}
