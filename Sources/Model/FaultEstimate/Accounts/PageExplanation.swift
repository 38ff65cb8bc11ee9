import Addresses
import ImageModel

/// Finds the cause for which a page is only predicted or only executed.
struct PageExplanation {
  private let launch: LaunchTouches
  private let layout: Layout
  private let knowledge: PageAccount.Knowledge
  private let pageSize: PageSize
  /// The pages on which code ran.
  private let executedPages: Set<StatedPage>
  /// The first instruction that ran on each of `executedPages`.
  private var instructions: [StatedPage: StatedAddress] = [:]
  /// The functions of the layout that the launch was predicted to use, as indexes.
  private let startup: Set<Int>
  /// For each page that was not executed, the predicted range with the most bytes on it; of equal ranges the first.
  private var predictions: [StatedPage: (range: Int, bytes: UInt64)] = [:]
  /// The causes of functions, by the index of the first function at their address. Each cause is looked up once,
  /// because a body may have thousands of names.
  private var causes: [Int: PageAccount.Cause] = [:]

  init(
    launch: LaunchTouches, layout: Layout, measured: [PageTouch], executed: Set<StatedPage>,
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
    // The first range that fills a page has the most bytes on it. So a range can only get the two pages at its ends,
    // and the pages that no earlier range fills.
    let running = launch.ranges.indices.filter {
      launch.rows[launch.ranges[$0].row].cause.isExecuted
    }
    let pages = running.map { pageSize.pages(of: launch.ranges[$0].bytes) }
    let inner = pages.map { $0.count > 2 ? $0.lowerBound + 1...$0.upperBound - 1 : nil }
    var unfilled = UnpaintedPages(of: inner.compactMap { $0 })
    for (place, index) in running.enumerated() {
      predict(index, on: pages[place].lowerBound)
      predict(index, on: pages[place].upperBound)
      guard let inner = inner[place] else { continue }
      unfilled.paint(inner) { run in for page in run { predict(index, on: page) } }
    }
  }

  private mutating func predict(_ index: Int, on page: StatedPage) {
    guard !executedPages.contains(page) else { return }
    let pageRange = AddressRange(start: pageSize.start(of: page), size: pageSize.bytes)
    let bytes = launch.ranges[index].bytes.intersection(pageRange)?.size ?? 0
    if let known = predictions[page], known.bytes >= bytes { return }
    predictions[page] = (index, bytes)
  }
}

// MARK: Executed, not predicted

extension PageExplanation {
  mutating func executed(_ page: StatedPage) -> PageAccount.Difference {
    let instruction = instructions[page] ?? pageSize.start(of: page)
    let aliases = layout.functions(containing: instruction)
    let section = layout.section(containing: instruction).map { layout.sections[$0] }
    let cause: PageAccount.Cause
    var function = aliases.first.flatMap(name(ofFunction:))
    if section?.isLinkageTable ?? false {
      cause = .touch(.linkageTable)
      function = section?.name
    } else {
      let known = aliases.isEmpty ? nil : causes[aliases.lowerBound]
      cause = known ?? self.cause(ofFunctions: aliases, in: section)
      if !aliases.isEmpty { causes[aliases.lowerBound] = cause }
    }
    return PageAccount.Difference(
      page: pageSize.start(of: page), wasExecuted: true, cause: cause, function: function)
  }

  private func name(ofFunction index: Int) -> SymbolName? {
    layout.symbolName(of: layout.functions[index])
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
    // The page has a block of a startup function that was not recorded, or lies after the end of a function with a
    // wrong size.
    if aliases.contains(where: startup.contains) { return .otherPath }
    if knowledge.newFunctions.contains(layout.functions[aliases.lowerBound].address) {
      return .newCode
    }
    // A body with several names, none of them recorded: it is unknown which of the functions runs here.
    if Set(names).count > 1 { return .touch(.mergedBody) }
    return knowledge.recordsEveryFunction ? .otherPath : .noEntry
  }
}

// MARK: Predicted, not executed

extension PageExplanation {
  func predicted(_ page: StatedPage) -> PageAccount.Difference {
    guard let index = predictions[page]?.range else {
      return PageAccount.Difference(
        page: pageSize.start(of: page), wasExecuted: false, cause: .otherPath, function: nil)
    }
    let range = launch.ranges[index]
    let function = range.function ?? layout.functions(at: range.bytes.start).first
    return PageAccount.Difference(
      page: pageSize.start(of: page), wasExecuted: false, cause: cause(of: range),
      function: function.map(name(ofFunction:)) ?? launch.rows[range.row].name)
  }

  private func cause(of range: LaunchTouches.Range) -> PageAccount.Cause {
    let touch = launch.rows[range.row].cause
    if touch.isExecuted, touch != .startupFunction { return .touch(touch) }
    guard let index = range.function else { return .otherPath }
    let function = layout.functions[index]
    let isWhole = range.bytes.start == function.address && range.bytes.size >= function.knownBytes
    // A recorded block ran in the recorded launch, so a launch that did not run it took another path.
    guard isWhole else { return .otherPath }
    if executedPages.contains(pageSize.page(of: function.address)) { return .functionPart }
    return layout.symbolName(of: function).map(knowledge.part) == .cold ? .coldPart : .otherPath
  }
}
