import ArgumentParser
import CommandSupport
import Counting
import Demangling
import FunctionOrder
import ImageModel
import OrderFileFormat
import Ordering
import Projects

/// `--linker`: the linker for which to write an order file.
struct LinkerOption: ExpressibleByArgument {
  let dialect: OrderFileDialect

  init?(argument: String) {
    guard let dialect = OrderFileDialect(name: argument) else { return nil }
    self.dialect = dialect
  }

  static var allValueStrings: [String] { OrderFileDialect.all.map(\.name).sorted() }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

/// `--linker` of `gen`: also a linker that takes no order file.
struct GenLinkerOption: ExpressibleByArgument {
  let name: String
  /// The dialect of the linker's order files; `nil` if the linker takes no order files.
  var dialect: OrderFileDialect? { OrderFileDialect(name: name) }
  /// How the linker places functions by the names of sections; `nil` if it does not place them by names.
  var renaming: RenamingLinker? { RenamingLinker(name: name) }

  init?(argument: String) {
    guard Self.allValueStrings.contains(argument) else { return nil }
    name = argument
  }

  static var allValueStrings: [String] {
    Set(LinkerOption.allValueStrings + RenamingLinker.all.map(\.name)).sorted()
  }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

/// `--linker` of commands that build ELF images.
struct ELFLinkerOption: ExpressibleByArgument {
  let dialect: OrderFileDialect

  init?(argument: String) {
    guard Self.allValueStrings.contains(argument), let option = LinkerOption(argument: argument)
    else { return nil }
    dialect = option.dialect
  }

  static var allValueStrings: [String] { OrderFileDialect.namesForELF }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

/// `--splitter`: the tool that splits functions.
struct SplitterOption: ExpressibleByArgument {
  let format: SplitFormat

  init?(argument: String) {
    guard let format = SplitFormat(name: argument) else { return nil }
    self.format = format
  }

  static var allValueStrings: [String] { SplitFormat.all.map(\.name) }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

/// The values of `--strategy`.
extension OrderStrategy: ExpressibleByArgument {}

/// `--arch`: the slice of a universal file.
struct ArchitectureOption: ExpressibleByArgument {
  let architecture: Architecture

  init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    architecture = Architecture(argument)
  }

  static let help = ArgumentHelp(
    "The architecture to use from a universal file: arm64, arm64e or x86_64.", valueName: "arch")
  static var defaultCompletionKind: CompletionKind { .list(["arm64", "arm64e", "x86_64"]) }
}

/// `--demangle`: how names are shown to people. Order files and the `name` keys of JSON stay mangled.
struct DemangleOption: ExpressibleByArgument {
  let mode: Demangler.Mode
  static let full = DemangleOption(mode: .full)

  private init(mode: Demangler.Mode) { self.mode = mode }
  init?(argument: String) {
    guard let mode = Demangler.Mode(rawValue: argument) else { return nil }
    self.mode = mode
  }

  var defaultValueDescription: String { mode.rawValue }
  static var allValueStrings: [String] { Demangler.Mode.allCases.map(\.rawValue) }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

/// The values of `--page-size`.
extension PageSizeChoice: ExpressibleByArgument {}

/// The values of `--method` of `pages`.
extension PageMethod: ExpressibleByArgument {}

/// The options of `auto` that choose how to record: `--breakpoints`, `--qemu` and `--instrument`.
extension AutoDocument.RecordingMethod: EnumerableFlag {
  package static func help(for method: Self) -> ArgumentHelp? {
    switch method {
    case .breakpoints: "Record with a breakpoint on each function of the release build."
    case .qemu: "Record in QEMU's emulator, which runs the release build."
    case .instrument: "Record with a second build, which records itself."
    }
  }
}
