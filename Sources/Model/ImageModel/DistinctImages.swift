/// Returns the images of all traces, each once, in the order in which they were first loaded.
package func distinctImages(of traces: [Trace]) -> [TraceImage] {
  var images: [TraceImage] = []
  for image in traces.flatMap(\.images)
  where !images.contains(where: { $0.path == image.path && $0.id == image.id }) {
    images.append(image)
  }
  return images
}
