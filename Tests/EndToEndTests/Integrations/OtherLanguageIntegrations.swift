import Foundation
import TestSupport
import Testing

/// Programs in OCaml and Haskell, by the commands of docs/how-to/LANGUAGES.md.
@Suite struct OtherLanguageIntegrations {
  private static let unused = (0..<200).map { "let unused\($0) n = print_int (n * \($0))\n" }
    .joined()
  private static let ocaml = """
    let rec deep n = 1 + deep (n + 1)
    let add k x = x + k
    \(unused)
    let rec fall n = if n = 0 then raise Not_found else 1 + fall (n - 1)
    let () = match Sys.argv.(1) with
      | "overflow" -> (try ignore (deep 0) with Stack_overflow -> print_string "caught")
      | "marshal" ->
        let text = Marshal.to_string (add 3) [Marshal.Closures] in
        let add3 : int -> int = Marshal.from_string text 0 in
        print_int (add3 4)
      | "exception" -> (try ignore (fall 1000) with Not_found -> print_string "fallen")
      | "unused" -> \((0..<200).map { "unused\($0) 1" }.joined(separator: "; "))
      | _ -> print_int (List.length (List.sort compare (List.init 100000 string_of_int)))

    """
  private static let launches = [
    ("overflow", "caught"), ("marshal", "7"), ("exception", "fallen"), ("list", "100000"),
  ]

  /// An overflow and a closure show whether OCaml's runtime still finds the code of OCaml.
  @Test(
    .needs("ocamlopt", "ld.lld", "ld.gold"),
    arguments: [
      ("lld", "-fuse-ld=lld", "-Wl,--symbol-ordering-file=order"),
      ("gold", "-fuse-ld=gold", "-Wl,--section-ordering-file=order"),
      ("gnu-ld", "-fuse-ld=bfd", "-Wl,-T,order"),
    ])
  func anOrderedOCamlProgramStillCatchesOverflows(
    linker: String, choice: String, option: String
  ) throws {
    let workshop = try Workshop()
    try workshop.write(Self.ocaml.utf8, "app.ml")
    func link(_ output: String, _ options: String) throws {
      try workshop.must(
        "ocamlopt",
        [
          "-function-sections", "app.ml", "-o", output, "-ccopt",
          "\(choice) -Wl,--build-id \(options)",
        ])
    }
    try link("default", "")
    for (launch, expected) in Self.launches {
      let recorded = try workshop.mustOrderfile(
        "record", "--breakpoints", "-o", "\(launch).oftrace", "./default", launch)
      #expect(recorded.output == Array(expected.utf8))
      #expect(!recorded.errors.contains("without a type"), "\(recorded.errors)")
    }
    let traces = Self.launches.map { "\($0.0).oftrace" }
    try workshop.mustOrderfile(
      ["gen"] + traces + ["--image", "default", "--linker", linker, "-o", "order"])
    try link("ordered", option)
    for (launch, expected) in Self.launches {
      #expect(try workshop.must("./ordered", [launch]).output == Array(expected.utf8), "\(launch)")
    }
    let verified = try workshop.mustOrderfile("verify", "order", "--image", "ordered", "--json")
    #expect(verified.json["stale"] as? Int == 0 && verified.json["dataEntries"] as? Int == 0)
    let diff = try workshop.mustOrderfile(
      ["diff", "default", "ordered", "--order", "order", "--json"]
        + traces.flatMap { ["--trace", $0] })
    let pages = try #require(diff.json["textPages"] as? [String: Any])
    let before = try #require(pages["before"] as? Int)
    let after = try #require(pages["after"] as? Int)
    #expect(after * 2 < before, "\(before) \(after)")
  }

  @Test(.needs("ocamlopt", "ld.lld")) func autoOrdersAnOCamlProgram() throws {
    let project = try AutoProject(makefile: false)
    try project.write("app.ml", Self.ocaml)
    let run = try project.start(
      Self.launches.flatMap { ["--launch", "./app \($0.0)"] } + [
        "--", "ocamlopt", "app.ml", "-o", "app",
      ]
    ).end()
    try #require(run.status == 0, "\(run.errors)")
    let images = try #require(run.json["images"] as? [[String: Any]])
    let pages = try #require(images.first?["pages"] as? [String: Any])
    #expect(
      try #require(pages["after"] as? Int) * 2 < #require(pages["before"] as? Int), "\(pages)")
    #expect(images.first?["compileOptions"] as? [String] == ["-function-sections"])
    let steps = try #require(run.json["nextSteps"] as? [[String: Any]])
    #expect(!steps.contains { $0["kind"] as? String == "split" }, "\(steps)")
  }

  @Test(.needs("ghc", "ld.lld")) func theNamedFunctionsOfAHaskellProgramAreOrdered() throws {
    let workshop = try Workshop()
    let unused = (0..<200).map {
      "unused\($0) :: Int -> Int\nunused\($0) n = n * \($0) + length (show n)\n"
    }
    try workshop.write(
      """
      module Main (main, \((0..<200).map { "unused\($0)" }.joined(separator: ", "))) where
      import qualified Data.Map as Map
      main :: IO ()
      main = print (Map.foldr (+) 0 (Map.fromList (zip [1 .. 1000 :: Int] [1 ..])))
      \(unused.joined())
      """.utf8, "Main.hs")
    func link(_ output: String, _ options: [String]) throws {
      let link = (["-fuse-ld=lld", "-Wl,--build-id"] + options).map { "-optl\($0)" }
      try workshop.must("ghc", ["-v0", "-O1", "-split-sections", "-o", output, "Main.hs"] + link)
    }
    try link("default", [])
    let recorded = try workshop.mustOrderfile(
      "record", "--breakpoints", "-o", "t", "./default")
    #expect(recorded.output == Array("500500\n".utf8))
    #expect(recorded.errors.contains("functions without a name"), "\(recorded.errors)")
    try workshop.mustOrderfile("gen", "t", "--image", "default", "-o", "order")
    try link("ordered", ["-Wl,--symbol-ordering-file=order"])
    #expect(try workshop.must("./ordered", []).output == recorded.output)
    let pages = try ["default", "ordered"].map { image in
      try workshop.mustOrderfile("pages", "-o", "\(image).pages", "--json", "--", "./\(image)")
      let document = try parsedJSON(workshop.bytes("\(image).pages"))
      let images = try #require(document["images"] as? [[String: Any]])
      return try #require(images.first?["textPages"] as? Int)
    }
    #expect(pages[1] < pages[0], "\(pages)")
  }
}
