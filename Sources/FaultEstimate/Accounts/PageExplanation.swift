import Addresses
import ImageModel

/// Finds the reason for which a page is predicted and not executed, or executed and not predicted.
struct PageExplanation {
  private let launch: LaunchTouches
  private let layout: Layout
  private let knowledge: PageAccount.Knowledge
  private let pageSize: PageSize
  /// Pages on which code ran.
  private let executedPages: Set<UInt64>
  /// The first instruction that ran on each.
  private var instructions: [UInt64: StatedAddress] = [:]
  /// Functions of the layout that the launch was predicted to use.
  private let startup: Set<Int>
  /// Ranges of the launch that run, on each page that was not executed: indexes.
  private var predictions: [UInt64: [Int]] = [:]

  init(
    launch: LaunchTouches, layout: Layout, measured: [PageTouch], executed: Set<UInt64>,
    knowledge: PageAccount.Knowledge, pageSize: PageSize
  ) {
    self.launch = launch
    self.layout = layout
    self.knowledge = knowledge
    self.pageSize = pageSize
    executedPages = executed
    startup = Set(launch.ranges.compactMap(\.function))
    for touch in measured.sorted(by: { ($0.step, $0.page) < ($1.step, $1.page) })
    where touch.isExecution {
      let page = pageSize.page(of: touch.page)
      if instructions[page] == nil { instructions[page] = touch.instruction ?? touch.page }
    }
    for (index, range) in launch.ranges.enumerated()
    where launch.rows[range.row].cause.isExecuted {
      for page in pageSize.pages(of: range.bytes) where !executed.contains(page) {
        predictions[page, default: []].append(index)
      }
    }
  }

  private func address(of page: UInt64) -> StatedAddress {
    StatedAddress(rawValue: page * pageSize.bytes)
  }
}

// MARK: Executed, not predicted

extension PageExplanation {
  func executed(_ page: UInt64) -> PageAccount.Difference {
    let instruction = instructions[page] ?? address(of: page)
    let aliases = layout.functions(containing: instruction)
    let section = layout.sections.first { $0.range.contains(instruction) }
    let cause: PageAccount.Cause
    var function = aliases.first.flatMap(name(ofFunction:))
    if section?.isLinkageTable ?? false {
      cause = .touch(.linkageTable)
      function = section?.name
    } else {
      cause = self.cause(ofFunctions: aliases, in: section)
    }
    return PageAccount.Difference(
      page: address(of: page), wasExecuted: true, cause: cause, function: function)
  }

  private func name(ofFunction index: Int) -> SymbolName? {
    let function = layout.functions[index]
    return function.isUnnamed ? nil : layout.name(of: function)
  }

  private func cause(
    ofFunctions aliases: Range<Int>, in section: Section?
  ) -> PageAccount.Cause {
    if section?.name == CRuntime.startSection || section?.name == CRuntime.endSection {
      return .touch(.cRuntime)
    }
    let names = aliases.compactMap(name(ofFunction:))
    guard !names.isEmpty else {
      return aliases.contains(where: startup.contains) ? .otherPath : .noSymbol
    }
    if names.contains(where: CRuntime.isPart) { return .touch(.cRuntime) }
    if names.contains(where: { knowledge.part($0) == .mergedBody }) { return .touch(.mergedBody) }
    if names.contains(where: { [.cold, .partial].contains(knowledge.part($0)) }) {
      return .coldPart
    }
    // A block of a startup function that was not recorded, or a page behind a wrong size.
    if aliases.contains(where: startup.contains) { return .otherPath }
    // One body with several names, none of them recorded: which of them runs here nobody can tell.
    if Set(names).count > 1 { return .touch(.mergedBody) }
    return knowledge.recordsEveryFunction ? .otherPath : .noEntry
  }
}

// MARK: Predicted, not executed

extension PageExplanation {
  func predicted(_ page: UInt64) -> PageAccount.Difference {
    let pageRange = AddressRange(start: address(of: page), size: pageSize.bytes)
    func bytes(_ index: Int) -> UInt64 {
      launch.ranges[index].bytes.intersection(pageRange)?.size ?? 0
    }
    let indexes = predictions[page] ?? []
    let index = indexes.max { (bytes($0), $1) < (bytes($1), $0) }
    guard let index else {
      return PageAccount.Difference(
        page: address(of: page), wasExecuted: false, cause: .otherPath, function: nil)
    }
    let range = launch.ranges[index]
    let function = range.function ?? layout.functions(at: range.bytes.start).first
    return PageAccount.Difference(
      page: address(of: page), wasExecuted: false, cause: cause(of: range),
      function: function.map(name(ofFunction:)) ?? launch.rows[range.row].name)
  }

  private func cause(of range: LaunchTouches.Range) -> PageAccount.Cause {
    let touch = launch.rows[range.row].cause
    if touch.isExecuted, touch != .startupFunction { return .touch(touch) }
    guard let index = range.function else { return .otherPath }
    let function = layout.functions[index]
    let isWhole = range.bytes.start == function.address && range.bytes.size >= function.knownBytes
    // A block that was recorded ran then.
    guard isWhole else { return .otherPath }
    if executedPages.contains(pageSize.page(of: function.address)) { return .functionPart }
    return knowledge.part(layout.name(of: function)) == .cold ? .coldPart : .otherPath
  }
}
