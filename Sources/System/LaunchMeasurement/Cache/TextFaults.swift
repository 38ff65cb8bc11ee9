import Addresses

/// Counts the faults in the executable mappings of certain files.
package enum TextFaults {
  /// - Parameters:
  ///   - events: the events by time.
  ///   - paths: the files, without symbolic links, as the kernel names them.
  /// - Complexity: O(*n* *m*) for *n* new mappings, if a process has up to *m*; O(log *m*) for each fault.
  package static func count(_ events: [PageFaultEvent], in paths: [String]) -> Int {
    let wanted = Set(paths)
    var mappings = ProcessMappings()
    var count = 0
    for event in events {
      mappings.note(event)
      guard case .fault(let fault) = event,
        let hit = mappings.mapping(of: fault.process, at: fault.address)
      else { continue }
      if hit.isExecutable, wanted.contains(hit.path) { count += 1 }
    }
    return count
  }

  /// Returns the files that were mapped as executable, each once, in the order of the events.
  static func executableFiles(_ events: [PageFaultEvent]) -> [String] {
    var seen: Set<String> = []
    return events.compactMap { event in
      guard case .mapping(let mapping, _) = event, mapping.isExecutable,
        mapping.path.hasPrefix("/"), seen.insert(mapping.path).inserted
      else { return nil }
      return mapping.path
    }
  }
}
