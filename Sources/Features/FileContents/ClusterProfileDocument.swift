import ImageModel
import JSON
import PagesFormat
import Rendering

/// The functions that a profile of basic block clusters splits.
package struct ClusterProfileDocument: Hashable, Sendable {
  package struct Function: Hashable, Sendable {
    /// The name of the function, and the names of its aliases; at least one.
    package var names: [SymbolName]
    /// The compile unit of the function, if the profile states one; else `nil`.
    package var unit: SymbolName?
    /// The IDs of the basic blocks in each part of the function.
    package var clusters: [[UInt32]]

    package init(names: [SymbolName], unit: SymbolName? = nil, clusters: [[UInt32]]) {
      self.names = names
      self.unit = unit
      self.clusters = clusters
    }
  }

  package var path: String
  package var functions: [Function]

  package init(path: String, functions: [Function]) {
    self.path = path
    self.functions = functions
  }
}

extension ClusterProfileDocument: ShownDocument {
  package static let schema = "orderfile.clusters/1"

  package func write(to json: inout JSONWriter, demangle: NameWording?) {
    json.array("functions") { json in
      for function in functions { json.object { function.write(to: &$0, demangle: demangle) } }
    }
    json.member("path", path)
    json.member("schema", Self.schema)
  }
}

extension ClusterProfileDocument.Function {
  fileprivate func write(to json: inout JSONWriter, demangle: NameWording?) {
    if names.count > 1 {
      json.member("aliases", Array(names.dropFirst()))
    }
    json.array("clusters") { json in
      for cluster in clusters {
        json.object { json in
          json.array("blocks") { json in for id in cluster { json.element(Int(id)) } }
        }
      }
    }
    guard let name = names.first else { return }
    if let demangled = demangle?(name), demangled != name.description {
      json.member("demangledName", demangled)
    }
    json.member("name", name)
    json.optional("unit", unit)
  }
}
