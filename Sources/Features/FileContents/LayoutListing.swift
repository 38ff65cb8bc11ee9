import Addresses
import ImageModel
import JSON
import PagesFormat
import Rendering

/// The sections and functions of a layout, shared by the documents of images and link maps.
struct LayoutListing {
  private let layout: Layout

  init(_ layout: Layout) { self.layout = layout }

  /// Adds the member `functions`, ascending by address; each alias is a separate element.
  ///
  /// - Parameter demangle: adds `demangledName` where it differs from `name`.
  func writeFunctions(to json: inout JSONWriter, demangle: NameWording?) {
    json.array("functions") { json in
      for function in layout.functions {
        json.object { json in write(function, to: &json, demangle: demangle) }
      }
    }
  }

  private func write(
    _ function: PlacedSymbol, to json: inout JSONWriter, demangle: NameWording?
  ) {
    json.member("address", function.address)
    if let demangle {
      let name = layout.name(of: function)
      let demangled = demangle(name)
      if demangled != name.description { json.member("demangledName", demangled) }
    }
    if let inputSection = function.inputSection {
      json.member("inputSection", layout.names[inputSection])
    }
    json.member("local", function.isLocal)
    json.member("name", layout.names[function.name])
    json.member("section", layout.sections[Int(function.section)].name)
    json.member("sizeBytes", function.knownBytes)
  }

  /// Adds the member `sections`, ascending by address.
  func writeSections(to json: inout JSONWriter) {
    json.array("sections") { json in
      for section in layout.sections {
        json.object { json in
          json.member("address", section.range.start)
          json.member("executable", section.isExecutable)
          json.member("name", section.name)
          json.member("sizeBytes", section.range.size)
        }
      }
    }
  }
}
