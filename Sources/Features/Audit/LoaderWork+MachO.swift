import Addresses
import ByteReading
import ImageModel
import ObjectFormat

extension LoaderWork {
  /// - Parameters:
  ///   - path: the path of the image, for messages.
  ///   - libraries: the names of the libraries that the image asks for; binds count them from 1.
  init(of file: MachOFile, path: String, libraries: [SymbolName], pageSize: PageSize) {
    self.init()
    readFixups(of: file, path, libraries, pageSize)
    let reason = "its address is unknown"
    do throws(ParseError) {
      let methods = try file.loadMethods()
      add(methods)
      problems += Diagnostic.skipped(methods.unknownCount, "+load method", reason, in: path)
    } catch {
      problems.append(Diagnostic("unable to read +load methods: \(error)", context: [path]))
    }
    do throws(ParseError) {
      let functions = try file.initializers()
      add(functions)
      problems += Diagnostic.skipped(functions.unknownCount, "initializer", reason, in: path)
    } catch {
      problems.append(Diagnostic("unable to read initializers: \(error)", context: [path]))
    }
    do throws(ParseError) { tasks = try file.startupTasks() } catch {
      problems.append(Diagnostic("unable to read start-up tasks: \(error)", context: [path]))
    }
  }

  private mutating func add(_ functions: MachOStartFunctions) {
    for function in functions.functions {
      if let owner = function.owner {
        initializerNames[initializers.count] = SymbolName(
          bytes: Array("+[".utf8) + owner + Array(" load]".utf8))
      }
      initializers.append((function.kind.rawValue, function.address))
    }
  }

  private mutating func readFixups(
    of file: MachOFile, _ path: String, _ libraries: [SymbolName], _ pageSize: PageSize
  ) {
    var counts: [MachOFixup.Kind: Int] = [:]
    var binds = [Int](repeating: 0, count: libraries.count)
    var pages = RelocatedPages(pageSize)
    do throws(ParseError) {
      try file.forEachFixup { fixup in
        counts[fixup.kind, default: 0] += 1
        pages.add(fixup.address)
        if fixup.kind != .rebase, 1...max(1, binds.count) ~= fixup.library, !binds.isEmpty {
          binds[fixup.library - 1] += 1
        }
      }
    } catch {
      problems.append(Diagnostic("unable to read rebases and binds: \(error)", context: [path]))
    }
    relocations.counts = MachOFixup.Kind.allCases.compactMap { kind in
      counts[kind].map { (kind.rawValue, $0) }
    }
    relocations.pages = pages.count
    relocations.bindsByLibrary = zip(libraries, binds).filter { $0.1 > 0 }.map { ($0, $1) }
  }
}
