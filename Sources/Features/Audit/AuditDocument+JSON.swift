import Addresses
import ImageModel
import JSON
import PagesFormat

extension AuditDocument: JSONDocument {
  package static let schema = "orderfile.audit/1"

  package func writeMembers(to json: inout JSONWriter) {
    json.member("architecture", architecture.description)
    json.member("findings", findings)
    json.member("format", format.rawValue)
    json.member("id", id?.description)
    json.array("images") { json in
      for image in images { json.object(isInline: false) { image.writeMembers(to: &$0) } }
    }
    json.member("initializers", initializers)
    json.member("libraries", libraries)
    json.optional("observedUse", use)
    json.member("pageSizeBytes", pageSize.bytes)
    json.member("path", path)
    json.member("schema", Self.schema)
    if !tasks.isEmpty { json.member("tasks", tasks) }
    json.optional("unused", unused)
    json.array("warnings") { json in
      for warning in warnings { json.element("\(warning)") }
    }
  }
}

extension AuditedImage: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("fileBytes", fileBytes)
    json.member("name", name)
    json.optional("objectiveC", objectiveC)
    json.member("path", path)
    json.member("relocations", relocations)
  }
}

extension AuditedImage.Relocations: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
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

extension AuditedImage.ObjectiveCCounts: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("categories", categories)
    json.member("classes", classes)
    json.member("methods", methods)
    json.member("nonLazy", nonLazy)
    json.member("protocols", protocols)
    json.member("selectors", selectors)
  }
}

extension AuditedLibrary: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
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
    json.optional("unrequested", unrequested?.rawValue)
  }
}

extension AuditedInitializer: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
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

extension UnusedObjectiveC: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
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
          json.member("classes", found.classes)
          json.member("doubt", found.doubt)
          json.member("image", found.image)
          json.member("name", found.name)
        }
      }
    }
  }
}

extension ObservedUse: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
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
    json.member("notObserved", notObserved)
    json.member("traces", traceCount)
  }
}
