import ImageModel

extension Accessor {
  /// The accessor in words.
  package var wording: String {
    switch self {
    case .relocation: "relocation, by the loader"
    case .lookUp: "look-up of symbols, by the loader"
    case .loader: "the loader, otherwise"
    case .kernel: "the kernel"
    case .program: "the program and its libraries"
    }
  }
}
