import JSON
import PagesFormat

/// Every kind of document that a command writes, for a list of their schemas.
package let documents: [any JSONDocument.Type] = [
  DiffDocument.self, ImageDocument.self, LinkMapDocument.self, OrderFileDocument.self,
  TraceDocument.self, GenDocument.self, ImportDocument.self, PagesDocument.self,
  MeasureDocument.self, RefineDocument.self,
]
