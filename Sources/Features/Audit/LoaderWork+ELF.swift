import Addresses
import ByteReading
import ImageModel
import ObjectFormat

/// The work of the loader for one image, in addition to mapping it.
struct LoaderWork {
  var relocations = AuditedImage.Relocations()
  /// The initializers, in the order in which the loader calls them.
  var initializers: [(kind: String, address: StatedAddress?)] = []
  /// The names of Objective-C's `+load` methods, which need no symbol, by their index in `initializers`.
  var initializerNames: [Int: SymbolName] = [:]
  /// The start-up tasks that the image registers, in the order of the file.
  var tasks: [StartupTask] = []
  var problems: [Diagnostic] = []

  init() {}

  /// - Parameter path: the path of the image, for messages.
  init(of file: ELFFile, path: String, pageSize: PageSize) {
    let types = Set(file.segments.map(\.type))
    if file.sections.isEmpty, types.contains(.load), !types.contains(.dynamic) {
      problems.append(
        Diagnostic(
          "this image has neither section headers nor a dynamic section: its relocations and initializers are unknown",
          context: [path]))
    }
    var counts: [ELFRelocationKind: Int] = [:]
    var pages = RelocatedPages(pageSize)
    do throws(ParseError) {
      try file.forEachRelocatedWord { kind, address in
        counts[kind, default: 0] += 1
        pages.add(address)
      }
    } catch { problems.append(Diagnostic("unable to read relocations: \(error)", context: [path])) }
    relocations.counts = ELFRelocationKind.allCases.compactMap { kind in
      counts[kind].map { (kind.rawValue, $0) }
    }
    relocations.pages = pages.count
    do throws(ParseError) {
      initializers = try file.initializers().map { ($0.kind.rawValue, $0.address) }
    } catch {
      problems.append(Diagnostic("unable to read initializers: \(error)", context: [path]))
    }
    do throws(ParseError) { tasks = try file.startupTasks() } catch {
      problems.append(Diagnostic("unable to read start-up tasks: \(error)", context: [path]))
    }
  }
}
