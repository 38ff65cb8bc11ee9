import Foundation

/// Runs arm64 Mach-O executables on any system: `Tests/MachOEmulator`, with the emulator that
/// `Scripts/apple-sdk.sh` fetched.
package struct MachOEmulator: Sendable {
  /// The result of a run.
  package struct Run {
    /// The program's exit status, 128 + the number of the signal that ended it, or 125 if the emulator could not
    /// continue.
    package var status: Int32
    package var output: String
    package var errors: String
    package var report: Report
  }

  /// What the launch did. All addresses are as the images state them.
  package struct Report: Decodable, Sendable {
    /// Why the launch ended; `nil` if it exited.
    package var reason: String?
    /// Calls of dyld and libobjc into images, in their order.
    package var stages: [Stage]
    /// The symbols of the simulated functions that were called, in the order of first calls.
    package var calls: [String]
    /// The functions of all images that were executed, in the order of first executions.
    package var executedFunctions: [Function]
    /// The images in load order, including images that `dlclose` unloaded.
    package var images: [Image]

    /// The names of the executed functions that have names.
    package var functionNames: [String] { executedFunctions.compactMap(\.names.first) }
  }

  package struct Stage: Decodable, Sendable {
    /// `load` for a `+load`, `initializer` or `main`.
    package var stage: String
    package var image: String
    package var address: UInt64
  }

  package struct Image: Decodable, Sendable {
    package var path: String
    /// Lower-case hexadecimal digits.
    package var uuid: String
    package var slide: UInt64
    /// The pages of its executable segments on which code ran, in the order of first executions.
    package var executedPages16k: [Page]
    package var executedPages4k: [Page]
    /// The number of pages of these segments that the program read as data, itself or through libSystem.
    package var readTextPages16k: Int
    /// The number of pages that dyld and libobjc read for themselves.
    package var loaderTextPages16k: Int
    /// The number of pages of any of these three kinds.
    package var touchedTextPages16k: Int
  }

  package struct Function: Decodable, Sendable {
    /// The path of the image.
    package var image: String
    package var address: UInt64
    package var names: [String]
  }

  package struct Page: Decodable, Sendable {
    package var address: UInt64
    /// The first instruction that ran on the page, or the start of the page.
    package var firstPC: UInt64
  }

  /// Whether images can be built and run.
  package static let isAvailable = (try? MachOEmulator()) != nil && (try? AppleSDK()) != nil

  /// - Throws: an error that names the missing tool or file; `make test` installs it.
  package init() throws {
    guard FileManager.default.fileExists(atPath: MachOEmulatorServer.packages + "/unicorn") else {
      throw Tool.Failure(
        description: "missing \(MachOEmulatorServer.packages): run Scripts/apple-sdk.sh")
    }
    guard toolPath("python3") != nil else {
      throw Tool.Failure(description: "missing python3: run Scripts/bootstrap.sh test")
    }
  }

  /// Runs `image`, a file in `workshop`, to its end. The program sees only this folder of the file system, and finds
  /// libraries there.
  ///
  /// - Parameter slide: the slide of the executable, a multiple of 16 KiB; `nil` lets `seed` choose a slide.
  /// - Parameter pid: the program's process number; `nil` for the number of the emulator.
  /// - Throws: if the harness itself fails.
  package func run(
    _ image: String, _ arguments: [String] = [], environment: [String: String] = [:],
    slide: UInt64? = nil, seed: UInt64 = 1, pid: Int32? = nil, in workshop: Workshop
  ) throws -> Run {
    func path(_ name: String) -> String { workshop.folder.appendingPathComponent(name).path }
    let reports = try TemporaryFolder()
    let report = reports.path("report")

    var options = ["--folder", workshop.folder.path, "--seed", "\(seed)", "--report", report]
    if let slide { options += ["--slide", "\(slide)"] }
    if let pid { options += ["--pid", "\(pid)"] }
    for (name, value) in environment.sorted(by: { $0.key < $1.key }) {
      options += ["--env", "\(name)=\(value)"]
    }
    let status = try MachOEmulatorServer.shared.get().run(
      options + [path(image)] + arguments, in: workshop.folder.path,
      output: reports.path("output"), errors: reports.path("errors"), end: reports.path("end"))
    func text(_ name: String) -> String {
      String(
        decoding: FileManager.default.contents(atPath: reports.path(name)) ?? Data(), as: UTF8.self)
    }
    guard let json = FileManager.default.contents(atPath: report) else {
      throw Tool.Failure(description: "emulating \(image): \(text("errors"))")
    }
    return Run(
      status: status, output: text("output"), errors: text("errors"),
      report: try JSONDecoder().decode(Report.self, from: json))
  }
}
