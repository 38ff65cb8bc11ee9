import CommandSupport

/// A change to how an image is built. It may remove pages that a launch touches, or requests to the disk.
enum BuildChange: Hashable {
  /// Options for the compiler and the linker.
  case option(LinkOption)
  /// The functions that the launch runs are placed together, in the order of their first uses.
  case functionOrder
  /// The functions are split into the basic blocks that the launch runs and the other blocks. The blocks that run are
  /// placed together.
  case split
  /// The functions are ordered. When the image starts, it asks the kernel for the pages that the launch touches.
  case prefetch
}

extension BuildChange {
  var name: String {
    switch self {
    case .option(let option): option.name
    case .functionOrder: "function order"
    case .split: "split functions"
    case .prefetch: "prefetching"
    }
  }

  /// The names of the changes whose options name files of `OrderedBuildFiles`.
  static let namesWithFiles = [functionOrder, split, prefetch].map(\.name)

  /// What the change does to the image.
  var effect: String {
    switch self {
    case .option(let option): option.effect
    case .functionOrder: "functions that the launch runs are next to each other"
    case .split:
      "the code that the launch runs is together, without the other code of its functions"
    case .prefetch:
      "functions are ordered, and at its start the image asks the kernel to read the pages that the launch touches"
    }
  }

  /// What the change needs from compilers, linkers and systems; `nil` if all current ones support it.
  var needs: String? {
    switch self {
    case .option(let option): option.needs
    case .functionOrder: "functions in sections of their own (-ffunction-sections)"
    case .split: "clang 19 or later"
    case .prefetch: "a slow disk: it saves requests, not pages"
    }
  }

  /// What no longer works, or is no longer protected, with the change; `nil` if the program behaves as before.
  var givesUp: String? { if case .option(let option) = self { option.givesUp } else { nil } }

  /// Whether the change has an effect only on compiled sources.
  var needsCompiler: Bool {
    switch self {
    case .option(let option): !option.compiling.isEmpty
    case .split: true
    case .functionOrder, .prefetch: false
    }
  }
}

/// A way to build an image: several changes together.
struct BuildVariant: Hashable {
  var options: [LinkOption] = []
  /// What an order file orders; `nil` if there is no order file.
  var order: Order?
  /// Whether the image prefetches. Such an image also has an order.
  var prefetches = false

  enum Order: Hashable { case functions, splitFunctions }

  init(_ changes: [BuildChange] = []) { self = changes.reduce(self) { $0.adding($1) } }

  /// Returns this variant with a further change. Splitting includes an order of functions, so an order of functions
  /// does not change a variant with split functions.
  func adding(_ change: BuildChange) -> BuildVariant {
    var variant = self
    switch change {
    case .option(let option): if !options.contains(option) { variant.options.append(option) }
    case .functionOrder: variant.order = order ?? .functions
    case .split: variant.order = .splitFunctions
    case .prefetch:
      variant.order = order ?? .functions
      variant.prefetches = true
    }
    return variant
  }

  /// The variant without an order file. A launch of this variant is recorded to make the order file.
  var unordered: BuildVariant {
    var variant = self
    variant.order = nil
    variant.prefetches = false
    return variant
  }

  /// The changes, each once.
  var changes: [BuildChange] {
    let order: [BuildChange] =
      switch self.order {
      case .functions: [.functionOrder]
      case .splitFunctions: [.split]
      case nil: []
      }
    return order + options.map { .option($0) } + (prefetches ? [.prefetch] : [])
  }
}

/// Options for a compiler driver when it compiles and when it links; each word once.
struct BuildWords: Hashable {
  var compiling: [String] = []
  var linking: [String] = []

  /// A toolset with the arguments of the linker itself: SwiftPM passes these past the compiler driver.
  var toolset: SwiftToolset {
    let arguments = linking.flatMap { word in
      word.hasPrefix("-Wl,") ? word.dropFirst(4).split(separator: ",").map(String.init) : [word]
    }
    return SwiftToolset(linkerOptions: ["--build-id"] + arguments)
  }

  mutating func add(compiling: [String], linking: [String]) {
    self.compiling += compiling.filter { !self.compiling.contains($0) }
    self.linking += linking.filter { !self.linking.contains($0) }
  }
}
