import Foundation

/// Runs arm64 Mach-O executables on any system: `Tests/MachOEmulator`, with the emulator that
/// `Scripts/apple-sdk.sh` fetched.
package struct MachOEmulator: Sendable {
  /// What came of a run.
  package struct Run {
    /// The program's exit status, 128 + the number of the signal that ended it, or 125 if it could not be
    /// run on.
    package var status: Int32
    package var output: String
    package var errors: String
    package var report: Report
  }

  /// What the launch did, all addresses as the images state them.
  package struct Report: Decodable, Sendable {
    /// Why it ended, if not by exit.
    package var reason: String?
    /// Calls of dyld and libobjc into images, in their order.
    package var stages: [Stage]
    /// Symbols of the simulated functions that were called, by first call.
    package var calls: [String]
    /// Of all images, by first execution.
    package var executedFunctions: [Function]
    /// In load order; those that `dlclose` unloaded, too.
    package var images: [Image]

    /// Their names, without those that have none.
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
    /// Pages of its executable segments on which code ran, by first execution.
    package var executedPages16k: [Page]
    package var executedPages4k: [Page]
    /// Pages of the same segments that the program read as data, itself or through libSystem.
    package var readTextPages16k: Int
    /// Those that dyld and libobjc read for themselves.
    package var loaderTextPages16k: Int
    /// All three.
    package var touchedTextPages16k: Int
  }

  package struct Function: Decodable, Sendable {
    /// The image's path.
    package var image: String
    package var address: UInt64
    package var names: [String]
  }

  package struct Page: Decodable, Sendable {
    package var address: UInt64
    /// The first instruction that ran on it, or the page's start.
    package var firstPC: UInt64
  }

  /// Whether images can be built and run.
  package static let isAvailable = (try? MachOEmulator()) != nil && (try? AppleSDK()) != nil

  /// - Throws: what is missing; `make test` installs it.
  package init() throws {
    guard FileManager.default.fileExists(atPath: MachOEmulatorServer.packages + "/unicorn") else {
      throw Tool.Failure(
        description: "missing \(MachOEmulatorServer.packages): run Scripts/apple-sdk.sh")
    }
    guard toolPath("python3") != nil else {
      throw Tool.Failure(description: "missing python3: run Scripts/bootstrap.sh test")
    }
  }

  /// Runs `image`, a file in `workshop`, to its end. The folder is all that it sees of the file system,
  /// and where it finds libraries.
  ///
  /// - Parameter slide: of the executable, a multiple of 16 KiB; `nil` lets `seed` choose one.
  /// - Parameter pid: its process number; `nil` is the emulator's own.
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
