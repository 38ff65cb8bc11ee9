import Addresses
import ImageModel
import JSON
import PagesFormat
import Rendering

/// The result of `orderfile audit`: what a launch of an image costs before its own code runs, as its files show it.
package struct AuditDocument: Sendable {
  /// The path of the image or app bundle, as the user gave it.
  package var path: String
  package var format: ImageFormat
  package var architecture: Architecture
  package var id: ImageID?
  package var pageSize: PageSize
  /// The image, then the libraries that could be read, in the order in which the loader finds them.
  package var images: [AuditedImage]
  /// The libraries that the loader finds, in the order in which it finds them; then the libraries of the bundle that no
  /// image asks for; then the libraries that only traces and measured launches show.
  package var libraries: [AuditedLibrary]
  /// The initializers, sorted by image in the order of `images`, and within an image in the order of the calls.
  package var initializers: [AuditedInitializer]
  /// The start-up tasks of all images, by stage, then in the order in which the tasks of a stage run.
  package var tasks: [AuditedTask]
  /// What no image refers to; `nil` for an image without Objective-C.
  package var unused: UnusedObjectiveC?
  /// What traces show about the use of libraries and archives; `nil` without a trace.
  package var use: ObservedUse?
  /// What keeps the image from being recorded and ordered, as `doctor` finds it.
  package var findings: [Finding]
  package var warnings: [Diagnostic]

  package init(
    path: String, format: ImageFormat, architecture: Architecture, id: ImageID?, pageSize: PageSize
  ) {
    self.path = path
    self.format = format
    self.architecture = architecture
    self.id = id
    self.pageSize = pageSize
    images = []
    libraries = []
    initializers = []
    tasks = []
    findings = []
    warnings = []
  }
}

/// An image whose file was read.
package struct AuditedImage: Sendable {
  /// The name by which other images ask for the image; for the image that was given, its file name.
  package var name: SymbolName
  package var path: String
  /// The size of the file in bytes; of a slice in a universal file, the size of the slice.
  package var fileBytes: UInt64
  package var relocations = Relocations()
  /// The numbers of classes, selectors and methods; `nil` for an image without Objective-C.
  package var objectiveC: ObjectiveCCounts?

  package init(name: SymbolName, path: String, fileBytes: UInt64) {
    self.name = name
    self.path = path
    self.fileBytes = fileBytes
  }

  /// What the loader writes into an image.
  package struct Relocations: Hashable, Sendable {
    /// The number of words by kind of relocation, in the order of a report; only kinds that occur.
    package var counts: [(kind: String, words: Int)] = []
    /// The number of pages that have such a word. Each of them is copied for the process.
    package var pages = 0
    /// The libraries whose symbols are looked up, with the number of words; Mach-O only.
    package var bindsByLibrary: [(library: SymbolName, words: Int)] = []

    package init() {}
    package var words: Int { counts.map(\.words).saturatingSum() }

    package static func == (a: Self, b: Self) -> Bool {
      a.pages == b.pages && a.counts.elementsEqual(b.counts, by: ==)
        && a.bindsByLibrary.elementsEqual(b.bindsByLibrary, by: ==)
    }

    package func hash(into hasher: inout Hasher) {
      hasher.combine(pages)
      hasher.combine(words)
    }
  }

  /// The numbers of selectors, classes and methods that the Objective-C runtime registers.
  package struct ObjectiveCCounts: Hashable, Sendable {
    package var classes = 0
    package var categories = 0
    package var protocols = 0
    /// The selectors that code refers to.
    package var selectors = 0
    /// Methods of classes and categories.
    package var methods = 0
    /// Classes and categories with a `+load`, or realized early for another reason.
    package var nonLazy = 0

    package init() {}
  }
}

/// A library that a launch loads, or may load.
package struct AuditedLibrary: Sendable {
  /// How an image asks for a library.
  package enum LoadKind: String, CaseIterable, Sendable {
    case required
    /// The image runs even if the library is missing.
    case weak
    case reexported
    case upward
    /// The library is loaded when a function of it is first called.
    case lazy
    /// The library is loaded at once, but initialized when a function of it is first called.
    case delayedInitialization = "delayed-initialization"
    /// A replacement for symbols of the image: `DT_AUXILIARY`, `DT_FILTER`.
    case filter
  }

  /// One image's request for the library. Another image may ask for the same library in another way.
  package struct Request: Hashable, Sendable {
    /// The name of the image.
    package var image: SymbolName
    package var kind: LoadKind

    package init(image: SymbolName, kind: LoadKind) {
      self.image = image
      self.kind = kind
    }
  }

  /// Why a library that no image asks for is on the list.
  package enum Unrequested: String, CaseIterable, Sendable {
    /// A launch loaded it, as a trace or a measurement shows.
    case runTime = "run-time"
    /// The library is in the app bundle.
    case unlinked
  }

  /// The name by which the first image asks for the library: `libz.so.1`, `@rpath/A.framework/A`.
  package var name: SymbolName
  /// The library's file; `nil` if it was not found. A system library of Mach-O need not exist here.
  package var path: String?
  /// Whether the audited image itself asks for the library.
  package var isDirect: Bool
  /// Whether the library comes with the program and not with the system; `nil` if it was not found.
  package var isEmbedded: Bool?
  /// The requests of the images that ask for the library, each once, in the order in which the loader finds them.
  package var requests: [Request]
  /// Why the library is listed; `nil` if an image asks for it.
  package var unrequested: Unrequested?
  /// Whether the library's file was read.
  package var isExamined: Bool
  /// Why the library was not found or not read; `nil` if it was read, and for a system library of Mach-O.
  package var problem: String?
  /// Whether a trace or a measured launch shows that the library was loaded; `nil` if none shows it.
  package var wasLoaded: Bool?
  /// When a function of the library first ran, since the process started; `nil` if no trace shows the time.
  package var firstUseNanoseconds: UInt64?
  /// When the library had been mapped, since the process started, and how long the loader took to find, open and map
  /// it; `nil` if that was not measured.
  package var mappedNanoseconds: UInt64?
  package var loadNanoseconds: UInt64?

  package init(name: SymbolName, path: String? = nil, isDirect: Bool, isEmbedded: Bool? = nil) {
    self.name = name
    self.path = path
    self.isDirect = isDirect
    self.isEmbedded = isEmbedded
    requests = []
    isExamined = false
  }
}

/// A function that runs before `main`, or when a library is loaded.
package struct AuditedInitializer: Sendable {
  /// The name of the image that contains the initializer.
  package var image: SymbolName
  /// The list of the image that contains the initializer: `.init_array`, `__mod_init_func`, `+load`.
  package var kind: String
  /// The address of the function; `nil` if the file does not state it.
  package var address: StatedAddress?
  /// The name of the function; `nil` if it is unknown.
  package var name: SymbolName?
  /// The source language, or the runtime or tool that made the initializer: `c++`, `swift`, `objective-c`, `c runtime`;
  /// `nil` if the name does not show it.
  package var origin: String?
  /// The object file or source file that defines the initializer; `nil` if it is unknown.
  package var objectFile: SymbolName?
  /// The size of the function in bytes; `nil` if unknown.
  package var size: UInt64?
  /// The number of pages that the function is on; `nil` without a size.
  package var pages: Int?
  /// When the initializer first ran, since the process started; `nil` if no trace or measured launch shows the time.
  package var startNanoseconds: UInt64?
  /// The time that the initializer took. A trace shows only an upper bound: the time until the next initializer or
  /// `main` began. `nil` if no trace or measured launch shows a time.
  package var nanoseconds: UInt64?

  package init(image: SymbolName, kind: String, address: StatedAddress?) {
    self.image = image
    self.kind = kind
    self.address = address
  }
}

/// Selectors and classes that an image defines and nothing refers to.
package struct UnusedObjectiveC: Sendable {
  package struct Selector: Hashable, Sendable {
    package var name: SymbolName
    /// The classes that define the selector, `C` or `C(Category)`, ascending.
    package var classes: [SymbolName]
    /// The name of the image.
    package var image: SymbolName
    /// Why the class or selector may be used nevertheless; `nil` if nothing suggests it.
    package var doubt: String?

    package init(name: SymbolName, classes: [SymbolName], image: SymbolName, doubt: String?) {
      self.name = name
      self.classes = classes
      self.image = image
      self.doubt = doubt
    }
  }

  package struct Class: Hashable, Sendable {
    package var name: SymbolName
    package var image: SymbolName
    package var doubt: String?

    package init(name: SymbolName, image: SymbolName, doubt: String?) {
      self.name = name
      self.image = image
      self.doubt = doubt
    }
  }

  /// The selectors to which nothing refers, by image, then ascending by name.
  package var selectors: [Selector]
  package var classes: [Class]
  /// The number of further selectors and classes that may be used nevertheless, if the user did not ask for a list of
  /// them.
  package var furtherSelectors: Int
  package var furtherClasses: Int

  package init(
    selectors: [Selector], classes: [Class], furtherSelectors: Int, furtherClasses: Int
  ) {
    self.selectors = selectors
    self.classes = classes
    self.furtherSelectors = furtherSelectors
    self.furtherClasses = furtherClasses
  }
}

/// What traces show about libraries and archives.
package struct ObservedUse: Sendable {
  package struct Unit: Sendable {
    package enum Kind: String, Sendable { case library, archive }
    package var kind: Kind
    package var name: SymbolName
    /// The number of functions that a trace could have recorded, and the number of these functions that ran.
    package var functions: Int
    package var usedFunctions: Int
    /// The bytes of the library's file, or of the archive's code and data in the file.
    package var bytes: UInt64
    /// The number of words that the loader would not write without the library or archive.
    package var relocations: Int

    package init(
      kind: Kind, name: SymbolName, functions: Int, usedFunctions: Int, bytes: UInt64,
      relocations: Int
    ) {
      self.kind = kind
      self.name = name
      self.functions = functions
      self.usedFunctions = usedFunctions
      self.bytes = bytes
      self.relocations = relocations
    }
  }

  /// The libraries and archives that had no or few functions that ran, most bytes first.
  package var candidates: [Unit]
  /// The libraries about which no trace could show anything, in the order of `libraries`.
  package var notObserved: [SymbolName]
  package var traceCount: Int

  package init(candidates: [Unit], notObserved: [SymbolName], traceCount: Int) {
    self.candidates = candidates
    self.notObserved = notObserved
    self.traceCount = traceCount
  }
}

extension AuditedLibrary {
  /// The images that ask for the library, each once, with the kinds of its requests unless all are usual: `app, liba.so
  /// (weak)`.
  package var neededBy: String {
    var images: [(name: SymbolName, kinds: [LoadKind])] = []
    for request in requests {
      if images.last?.name != request.image { images.append((request.image, [])) }
      images[images.count - 1].kinds.append(request.kind)
    }
    return images.map { image in
      let kinds = image.kinds == [.required] ? [] : image.kinds.map(\.rawValue)
      return image.name.description + (kinds.isEmpty ? "" : " (\(kinds.joined(separator: ", ")))")
    }.joined(separator: ", ")
  }

  /// Whether every image that asks for the library runs without the library.
  package var mayBeMissing: Bool {
    !requests.isEmpty && requests.allSatisfy { $0.kind == .weak }
  }
}
