// The libraries that a launch loads, found breadth first, as loaders do: the libraries that the program asks for, then
// the libraries that these ask for, and so on. A library that several images ask for is found once, and so is a library
// that asks for itself through others.
//
// Two requests are for one library if they lead to one file. An ELF loader does not even search if a library with
// that name, or with that DT_SONAME, is already loaded.

import ByteReading
import CommandSupport
import ImageModel

/// How the loader of one object format finds a library.
protocol LibrarySearch {
  /// - Parameters:
  ///   - load: the request.
  ///   - node: the image that asks, in `closure`.
  func find(_ load: LibraryLoad, for node: Int, in closure: LibraryClosure) -> FoundLibrary
}

enum FoundLibrary {
  /// - Parameter path: a path without symbolic links, which identifies the library.
  case image(ExaminedImage, path: String, isEmbedded: Bool)
  /// A library of the system that need not be on this machine: Apple's libraries are in a cache.
  case system(path: String)
  /// - Parameter path: the path of a file that is not the library; `nil` if there is no file.
  case missing(reason: String, path: String?)
}

struct LibraryClosure {
  struct Node {
    var library: AuditedLibrary
    /// The library's image; `nil` if the file was not found or not read.
    var image: ExaminedImage?
    /// The node of the image that asked first; `nil` for the given image.
    var loader: Int?
  }

  /// The given image, then its libraries.
  private(set) var nodes: [Node]
  private(set) var warnings: [Diagnostic] = []

  /// The maximum number of libraries, which is far more than any program has. More libraries are left out with a
  /// warning.
  static let limit = 1 << 14

  init(of image: ExaminedImage, searching search: some LibrarySearch, namesAreShared: Bool) {
    let own = AuditedLibrary(name: image.name, path: image.path, isDirect: false)
    nodes = [Node(library: own, image: image)]
    // The given image has a name, too: a library can ask for the image that asked for the library.
    var byName: [[UInt8]: Int] = [:]
    if let name = image.ownName { byName[name] = 0 }
    var byPath: [String: Int] = [:]
    if let real = try? Folder.absolutePath(image.path) { byPath[real] = 0 }
    /// The libraries that were not found, by the requested name.
    var missing: [[UInt8]: Int] = [:]
    var node = 0
    while node < nodes.count {
      for load in nodes[node].image?.loads ?? [] {
        let found = search.find(load, for: node, in: self, known: namesAreShared ? byName : [:])
        let place: Int
        switch found {
        case .known(let known): place = known
        case .new(.image(let image, let path, let isEmbedded)):
          if let known = byPath[path] {
            place = known
          } else {
            place = add(load, from: node, path: image.path, isEmbedded: isEmbedded, image)
            byPath[path] = place
            if let name = image.ownName, byName[name] == nil { byName[name] = place }
          }
        case .new(.system(let path)):
          place = byPath[path] ?? add(load, from: node, path: path, isEmbedded: false, nil)
          byPath[path] = place
        case .new(.missing(let reason, let path)):
          place =
            missing[load.name.bytes]
            ?? add(load, from: node, path: path, isEmbedded: nil, nil, problem: reason)
          missing[load.name.bytes] = place
        }
        if byName[load.name.bytes] == nil { byName[load.name.bytes] = place }
        nodes[place].library.note(load.kind, from: nodes[node].library.name, isDirect: node == 0)
        if nodes.count > Self.limit { break }
      }
      if nodes.count > Self.limit {
        warnings.append(
          Diagnostic(
            "more than \(Self.limit) libraries: the rest is left out", context: [image.path])
        )
        break
      }
      node += 1
    }
    for node in nodes { warnings += node.image?.problems ?? [] }
  }

  private mutating func add(
    _ load: LibraryLoad, from loader: Int, path: String?, isEmbedded: Bool?,
    _ image: ExaminedImage?, problem: String? = nil
  ) -> Int {
    var library = AuditedLibrary(
      name: load.name, path: path, isDirect: false, isEmbedded: isEmbedded)
    library.isExamined = image != nil
    library.problem = problem
    var image = image
    image?.name = load.name
    nodes.append(Node(library: library, image: image, loader: loader))
    return nodes.count - 1
  }

  /// The image at `node` and the images that led to it, the given image last.
  func chain(from node: Int) -> some Sequence<ExaminedImage> {
    sequence(first: node) { nodes[$0].loader }.lazy.compactMap { nodes[$0].image }
  }
}

/// The library that a request leads to: one that was found before, or a new one.
private enum Match {
  case known(Int)
  case new(FoundLibrary)
}

extension LibrarySearch {
  fileprivate func find(
    _ load: LibraryLoad, for node: Int, in closure: LibraryClosure, known: [[UInt8]: Int]
  ) -> Match {
    if let place = known[load.name.bytes] { return .known(place) }
    return .new(find(load, for: node, in: closure))
  }
}

extension AuditedLibrary {
  /// Adds a request of the image `name` for this library. The requests of one image follow each other.
  fileprivate mutating func note(_ kind: LoadKind, from name: SymbolName, isDirect: Bool) {
    let request = Request(image: name, kind: kind)
    let own = requests.reversed().prefix { $0.image == name }
    if !own.contains(request) { requests.append(request) }
    if isDirect { self.isDirect = true }
  }
}
