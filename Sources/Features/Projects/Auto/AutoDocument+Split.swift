import JSON
import Ordering
import PagesFormat
import Prediction
import Rendering

extension AutoDocument {
  /// The result of splitting functions, compared with whole functions in order. Both builds are made in the same way,
  /// apart from the profile and the order.
  package struct Split: Hashable, Sendable {
    /// The pages of code that the launches execute, with whole functions in order and with split functions; `nil` if
    /// pages were not counted.
    package var pages: BeforeAfter<Int>?
    package var pages16k: BeforeAfter<Int>?
    /// How much code of all images can't be split, because the code has no map of basic blocks.
    package var unmapped = UnmappedCode()
    /// Why functions stay whole; `nil` if they are split.
    package var refusal: String?

    package init() {}

    package var isKept: Bool { refusal == nil }

    /// `splitting is kept: the launches execute 60 pages (with whole functions in order, 148)`
    package var text: String {
      var text = "splitting is " + (isKept ? "kept" : "left out")
      if let pages {
        text +=
          ": the launches execute \(counted(pages.after, "page")) (with whole functions in order, \(pages.before))"
      } else if let refusal {
        text += ": \(refusal)"
      }
      return text + (unmapped.text.map { "; \($0)" } ?? "")
    }
  }
}

extension AutoDocument.Split: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("isKept", isKept)
    if let pages { json.member("pages", pages.withSaving) }
    if let pages16k { json.member("pages16k", pages16k.withSaving) }
    json.optional("refusal", refusal)
    json.object("unmapped") { unmapped.writeMembers(to: &$0) }
  }
}
