import Addresses
import ImageModel
import JSON
import PagesFormat

extension AuditDocument: JSONDocument {
  package static let schema = "orderfile.audit/1"

  package func write(to json: inout JSONWriter) {
    json.member("architecture", architecture.description)
    json.array("findings") { json in
      for finding in findings { json.object { finding.write(to: &$0) } }
    }
    json.member("format", format.rawValue)
    json.member("id", id?.description)
    json.array("images") { json in
      for image in images { json.object(isInline: false) { image.write(to: &$0) } }
    }
    json.array("initializers") { json in
      for initializer in initializers { json.object { initializer.write(to: &$0) } }
    }
    json.array("libraries") { json in
      for library in libraries { json.object { library.write(to: &$0) } }
    }
    if let notAllowed {
      json.array("notAllowed") { json in for name in notAllowed { json.element(name) } }
    }
    if let use { json.object("observedUse") { use.write(to: &$0) } }
    json.member("pageSizeBytes", pageSize.bytes)
    json.member("path", path)
    json.member("schema", Self.schema)
    if let unused { json.object("unused") { unused.write(to: &$0) } }
    json.array("warnings") { json in
      for warning in warnings { json.element("\(warning)") }
    }
  }
}

extension AuditedImage {
  fileprivate func write(to json: inout JSONWriter) {
    json.member("fileBytes", fileBytes)
    json.member("name", name)
    if let objectiveC { json.object("objectiveC") { objectiveC.write(to: &$0) } }
    json.member("path", path)
    json.object("relocations") { relocations.write(to: &$0) }
  }
}

extension AuditedImage.Relocations {
  fileprivate func write(to json: inout JSONWriter) {
    if !bindsByLibrary.isEmpty {
      json.array("bindsByLibrary") { json in
        for (library, words) in bindsByLibrary {
          json.object { json in
            json.member("library", library)
            json.member("words", words)
          }
        }
      }
    }
    json.array("kinds") { json in
      for (kind, words) in counts {
        json.object { json in
          json.member("kind", kind)
          json.member("words", words)
        }
      }
    }
    json.member("pages", pages)
    json.member("words", words)
  }
}

extension AuditedImage.ObjectiveCCounts {
  fileprivate func write(to json: inout JSONWriter) {
    json.member("categories", categories)
    json.member("classes", classes)
    json.member("methods", methods)
    json.member("nonLazy", nonLazy)
    json.member("protocols", protocols)
    json.member("selectors", selectors)
  }
}

extension AuditedLibrary {
  fileprivate func write(to json: inout JSONWriter) {
    json.member("direct", isDirect)
    json.member("embedded", isEmbedded)
    json.member("examined", isExamined)
    json.member("firstUseMs", firstUseNanoseconds.map(milliseconds))
    json.member("loaded", wasLoaded)
    json.member("mappedMs", mappedNanoseconds.map(milliseconds))
    json.member("ms", loadNanoseconds.map(milliseconds))
    json.member("name", name)
    json.array("neededBy") { json in
      for request in requests {
        json.object { json in
          json.member("image", request.image)
          json.member("kind", request.kind.rawValue)
        }
      }
    }
    json.member("path", path)
    json.member("problem", problem)
    if let unrequested { json.member("unrequested", unrequested.rawValue) }
  }
}

extension AuditedInitializer {
  fileprivate func write(to json: inout JSONWriter) {
    json.member("address", address)
    json.member("image", image)
    json.member("kind", kind)
    json.member("ms", nanoseconds.map(milliseconds))
    json.member("name", name)
    json.member("objectFile", objectFile)
    json.member("origin", origin)
    json.member("pages", pages)
    json.member("sizeBytes", size)
    json.member("startMs", startNanoseconds.map(milliseconds))
  }
}

private func milliseconds(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1e6 }

extension UnusedObjectiveC {
  fileprivate func write(to json: inout JSONWriter) {
    json.array("classes") { json in
      for found in classes {
        json.object { json in
          json.member("doubt", found.doubt)
          json.member("image", found.image)
          json.member("name", found.name)
        }
      }
    }
    json.member("furtherClasses", furtherClasses)
    json.member("furtherSelectors", furtherSelectors)
    json.array("selectors") { json in
      for found in selectors {
        json.object { json in
          json.array("classes") { json in for name in found.classes { json.element(name) } }
          json.member("doubt", found.doubt)
          json.member("image", found.image)
          json.member("name", found.name)
        }
      }
    }
  }
}

extension ObservedUse {
  fileprivate func write(to json: inout JSONWriter) {
    json.array("candidates") { json in
      for unit in candidates {
        json.object { json in
          json.member("bytes", unit.bytes)
          json.member("functions", unit.functions)
          json.member("kind", unit.kind.rawValue)
          json.member("name", unit.name)
          json.member("relocations", unit.relocations)
          json.member("usedFunctions", unit.usedFunctions)
        }
      }
    }
    json.array("notObserved") { json in for name in notObserved { json.element(name) } }
    json.member("traces", traceCount)
  }
}
