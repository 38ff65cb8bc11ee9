import ByteReading
import ImageModel
import JSON
import PagesFormat
import Prediction

/// The figures of the images in an `AutoDocument`. Other commands read only these figures of the document.
package struct AutoFigures: Hashable, Sendable {
  /// The folder with the results; the paths of images are relative to it.
  package var folder: String
  package var images: [Image]
  /// Empty in a document of an earlier version.
  package var nextSteps: [NextStep] = []

  package struct Image: Hashable, Sendable {
    /// The image in the new order.
    package var image: ImageReference
    package var functions: Int
    package var compliance: OrderCompliance
    /// The pages of code that the launches executed, before and after; `nil` if pages were not counted.
    package var pages: BeforeAfter<Int>?
    package var pages16k: BeforeAfter<Int>?
    package var predicted: BeforeAfter<Int>
    /// The functions that the launches ran; `nil` in a document of an earlier version.
    package var startupFunctions: [PlacedFunction]?
  }

  package init(parsing bytes: FileBytes) throws(ParseError) {
    let object = try JSONObject(document: bytes, schema: AutoDocument.schema)
    folder = try object.value("folder")
    images = try object.value("images")
    nextSteps = try object.optional("nextSteps") ?? []
  }
}

extension AutoFigures.Image: JSONReadableObject {
  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      image: ImageReference(
        path: try object.value("image"), architecture: try object.optional("architecture"),
        id: try object.optional("id")),
      functions: try object.count("functions"),
      compliance: try object.value("compliance"),
      pages: object.has("pages") ? try object.counts("pages") : nil,
      pages16k: object.has("pages16k") ? try object.counts("pages16k") : nil,
      predicted: try object.counts("predictedPages"),
      startupFunctions: object.has("startupFunctions")
        ? try object.value("startupFunctions") : nil)
  }
}
