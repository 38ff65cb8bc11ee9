import Audit
import Foundation
import ImageModel
import TestSupport
import Testing

/// `orderfile audit` with traces and times of launches: which libraries the launches loaded, and whether the launches
/// are of the audited program.
@Suite struct AuditedLaunchTests {
  /// A library with a build ID and no initializer, and a program that asks for it.
  private static func recorded(_ id: [UInt8]) throws -> Workshop {
    let workshop = try Workshop()
    var library = ELFWriter()
    library.segments = [(1, library.addText())]
    library.addBuildID(id)
    try workshop.write(library.bytes(), "libplain.so")
    try workshop.write(AuditedELF.asking(for: [Array("$ORIGIN/libplain.so".utf8)]), "app")
    return workshop
  }

  private static func trace(of path: String, _ id: [UInt8], _ workshop: Workshop) throws -> String {
    var trace = TraceWriter()
    let image = TraceWriter.Image(path: path, id: id)
    trace.addLoad(image)
    trace.addHit(image, guard: 1, entry: 0x1010)
    try workshop.write(trace.bytes(), "app.oftrace")
    return workshop.folder.appendingPathComponent("app.oftrace").path
  }

  @Test func aLibraryWithoutInitializersIsToldFromItsOtherBuildsAndFoundAnywhere() throws {
    let workshop = try Self.recorded([1, 2, 3])
    let path = workshop.folder.appendingPathComponent("libplain.so").path
    var options = Audit.Options()
    options.traces = [try Self.trace(of: path, [9, 9], workshop)]
    let rebuilt = try AuditedELF.audit(workshop, "app", options)
    #expect(rebuilt.warnings.contains { $0.message.hasPrefix("this trace is of another build of") })
    #expect(rebuilt.libraries.map(\.wasLoaded) == [nil])

    options.traces = [try Self.trace(of: "/elsewhere/libplain.so", [1, 2, 3], workshop)]
    let moved = try AuditedELF.audit(workshop, "app", options)
    #expect(moved.libraries.map(\.wasLoaded) == [true] && moved.use?.notObserved == [])
    #expect(moved.warnings.allSatisfy { !$0.message.contains("another build") })
  }

  @Test func aLibraryThatOnlyATraceKnowsIsListedAndCounted() throws {
    let workshop = try Self.recorded([1, 2, 3])
    var options = Audit.Options()
    options.traces = [try Self.trace(of: "/opt/libplugin.so", [7], workshop)]
    let document = try AuditedELF.audit(workshop, "app", options)
    #expect(try document.figures().libraries.last?.path == "/opt/libplugin.so")
    let plugin = try #require(document.libraries.last)
    #expect(plugin.unrequested == .runTime && plugin.path == "/opt/libplugin.so")
    // No image asks for it, directly or indirectly.
    let rows = AuditText(document).text.split(separator: "\n").filter { $0.contains("libplugin") }
    #expect(rows.first?.contains("run-time") ?? false)
    #expect(!(rows.first?.contains("indirect") ?? true))
  }

  private static func stages(_ workshop: Workshop, _ images: [(path: String, id: String)]) throws
    -> String
  {
    let list = images.map {
      "{\"id\": \"\($0.id)\", \"loadNanoseconds\": 2000, \"mappedNanoseconds\": 1000, \"path\": \"\($0.path)\"}"
    }
    let text = """
      {"images": [\(list.joined(separator: ", "))], "initializers": [], "schema": "orderfile.stages/1"}
      """
    try workshop.write(text.utf8, "stages.json")
    return workshop.folder.appendingPathComponent("stages.json").path
  }

  /// Both programs load the same library.
  @Test func nothingIsTakenFromTheTimesOfAnotherProgram() throws {
    let workshop = try Self.recorded([1, 2, 3])
    let library = workshop.folder.appendingPathComponent("libplain.so").path
    let app = workshop.folder.appendingPathComponent("app").path
    var options = Audit.Options()
    options.stages = try Self.stages(
      workshop, [("/opt/other", "77"), (library, "010203"), ("/opt/libplugin.so", "88")])
    let other = try AuditedELF.audit(workshop, "app", options)
    #expect(other.libraries.map(\.loadNanoseconds) == [nil])
    #expect(
      other.warnings.map(\.message).contains {
        $0.contains("this document is of launches without \(app), so it is not used")
      })

    let id = try #require(other.id).description
    options.stages = try Self.stages(
      workshop, [(app, id), (library, "010203"), ("/opt/libplugin.so", "88")])
    let own = try AuditedELF.audit(workshop, "app", options)
    #expect(own.libraries.map(\.loadNanoseconds).contains(2000) && own.libraries.count >= 2)
    #expect(
      own.warnings.allSatisfy { !$0.message.contains("this document is of launches without") })
  }

  @Test func aTraceOfAnotherProgramIsSaid() throws {
    let workshop = try Self.recorded([1, 2, 3])
    try workshop.write(Data(contentsOf: workshop.folder.appendingPathComponent("app")), "another")
    var options = Audit.Options()
    options.traces = [try Self.trace(of: "/elsewhere/libplain.so", [1, 2, 3], workshop)]
    func warns(_ name: String) throws -> Bool {
      try AuditedELF.audit(workshop, name, options).warnings.contains {
        $0.message.contains("this trace is of /bin/app, and has nothing of ")
      }
    }
    #expect(try warns("another"))
    #expect(try !warns("app"))
  }

  @Test func theImagesOfAMeasurementCostTimeInProportion() throws {
    let workshop = try Self.recorded([1, 2, 3])
    let app = workshop.folder.appendingPathComponent("app").path
    let id = try #require(try AuditedELF.audit(workshop, "app").id).description
    func examine(_ size: Int) throws -> Int {
      var options = Audit.Options()
      options.stages = try Self.stages(
        workshop, [(app, id)] + (0..<size).map { ("/opt/lib\($0).so", "88") })
      return try AuditedELF.audit(workshop, "app", options).libraries.count
    }
    #expect(try examine(3) >= 4)
    #expect(costGrowth(from: 1000, by: 4) { _ = try? examine($0) } < 10)
  }
}
