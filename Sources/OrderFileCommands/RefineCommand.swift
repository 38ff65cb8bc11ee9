import ArgumentParser
import Demangling
import Reporting
import Workflows

struct RefineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "refine",
    abstract: "Improve an order file by relinking and counting the pages a launch touches.",
    discussion: """
      EXAMPLES
        $ orderfile refine --order a.order --image a --relink ./link.sh -- ./a --help
        $ orderfile refine --order a.order --image a --relink 'make a' -o b.order -- ./a

      --relink is a command for sh that links the image with the order file $ORDERFILE_ORDER. Functions \
      that a launch runs and the order lacks are added, those that it doesn't run go behind, and large \
      ones may; after each change the image is linked and launched again, and the change is kept if \
      fewer pages were touched. So the result is never worse than what was given. Interrupted, it leaves \
      the best so far.
      """)

  @Option(
    help: ArgumentHelp("The order file to begin with.", valueName: "file"), completion: .file())
  var order: String
  @Option(
    help: ArgumentHelp("The image that is linked; it is removed before.", valueName: "file"),
    completion: .file())
  var image: String
  @Option(help: ArgumentHelp("What links it, for sh -c.", valueName: "command"))
  var relink: String
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The order file to write. (default: that of --order)", valueName: "file"),
    completion: .file())
  var output: String?
  @Option(help: "The pages to save: 4k, 16k, 64k, or auto, those of this machine.")
  var pageSize: PageSizeChoice = .automatic
  @Option(help: ArgumentHelp("Names for people: none, short or full.", valueName: "mode"))
  var demangle: DemangleOption = .full
  @Flag(help: "Print one JSON object.")
  var json = false
  @OptionGroup var launched: LaunchOptions

  func validate() throws {
    try launched.check(for: self)
    if output == "-" { throw ValidationError("the refined order goes to a file: -o FILE") }
  }

  func run() throws {
    var refinement = OrderFileRefinement(
      order: order, image: image, relink: relink, output: output ?? order,
      program: launched.launch, in: .own)
    refinement.pageSize = pageSize
    let result = try refinement.run { step in
      Console.printNote(
        "\(step.textPages) pages of 4 KiB, \(step.textPages16k) of 16 KiB: \(step.move)"
          + (step.isKept ? "" : ", not kept"))
    }
    if let failure = result.failure {
      if result.isWritten {
        Console.printNote("wrote the best order so far: \(result.document.outputPath)")
      }
      throw failure
    }
    if json {
      try Console.print(result.document.json())
    } else {
      try Console.print(RefineText(result.document, names: Demangler(demangle.mode).demangle).text)
    }
    Console.printWarnings(result.warnings)
  }
}
