import TestSupport

/// A small build of a program with a map of its basic blocks.
struct MappedBuild {
  struct Block {
    var id: UInt8
    var size: UInt8
    var isLandingPad = false
    /// The addresses that the block calls first.
    var calls: [UInt64] = []
  }

  /// A function, or a part of one.
  struct Run {
    var address: UInt64
    var blocks: [Block]
  }

  struct Function {
    var name: String
    /// Further names of the function.
    var aliases: [String] = []
    /// Names that the linker has added, without a size.
    var linkerNames: [String] = []
    /// The parts, the part with the entry first. Each part has at most 0x100 bytes.
    var runs: [Run]

    init(_ name: String, _ runs: Run...) {
      self.name = name
      self.runs = runs
    }
  }

  var id: [UInt8]
  var functions: [Function]
  var hasMap = true
  /// Version 1 states no block IDs.
  var mapVersion: UInt8 = 2
  /// The number of bytes that are missing at the end of the map.
  var missingMapBytes = 0
  var textSize = 0x4000

  /// The image. Symbols of further parts have the function's name with ".cold".
  var bytes: [UInt8] {
    var elf = ELFWriter()
    elf.addText(code: code)
    var symbols: [ELFWriter.Symbol] = []
    for function in functions {
      for name in function.linkerNames {
        symbols.append(.init(name, info: 0x12, value: function.runs[0].address))
      }
    }
    for function in functions {
      for (index, run) in function.runs.enumerated() {
        let names = index == 0 ? [function.name] + function.aliases : ["\(function.name).cold"]
        let size = run.blocks.reduce(0 as UInt64) { $0 + UInt64($1.size) }
        for name in names {
          symbols.append(.init(name, info: index == 0 ? 0x12 : 0, value: run.address, size: size))
        }
      }
    }
    elf.addSymbols(symbols)
    if hasMap {
      elf.add(
        .init(
          ".llvm_bb_addr_map", type: 0x6fff_4c0a, flags: 0x80,
          contents: Array(map.dropLast(missingMapBytes))))
    }
    elf.addBuildID(id)
    return elf.bytes()
  }

  /// Calls, and returns elsewhere.
  private var code: [UInt8] {
    var code = [UInt8](repeating: 0xc3, count: textSize)
    for run in functions.flatMap(\.runs) {
      var start = Int(run.address) - 0x1000
      for block in run.blocks {
        for (index, target) in block.calls.enumerated() {
          let end = start + 5 * (index + 1)
          code[end - 5] = 0xe8
          for byte in 0..<4 {
            code[end - 4 + byte] = UInt8(
              truncatingIfNeeded: (Int(target) - 0x1000 - end) >> (8 * byte))
          }
        }
        start += Int(block.size)
      }
    }
    return code
  }

  private var map: [UInt8] {
    var map = ByteWriter()
    for function in functions {
      map.write([mapVersion, mapVersion > 1 ? 8 : 0])
      if mapVersion > 1 { map.write([UInt8(function.runs.count)]) }
      for run in function.runs {
        map.write(run.address)
        map.write([UInt8(run.blocks.count)])
        for block in run.blocks {
          if mapVersion > 1 { map.write([block.id]) }
          map.write([0, block.size, block.isLandingPad ? 4 : 0])
        }
      }
    }
    return map.bytes
  }

  /// Returns a sealed trace of a launch that entered the functions of `ran` and ran these of their blocks, in this
  /// order.
  func trace(ran: [(function: String, blocks: [UInt8])], path: String) -> [UInt8] {
    trace(
      uses: ran.compactMap { use in
        functions.first { $0.name == use.function }.map { ($0, use.blocks) }
      }, path: path)
  }

  func trace(uses: [(function: Function, blocks: [UInt8])], path: String) -> [UInt8] {
    var image = TraceWriter.Image(path: path, id: id)
    image.text = 0x1000..<0x1000 + UInt64(textSize)
    var writer = TraceWriter()
    writer.flags = 16  // breakpoints
    writer.program = path
    writer.addLoad(image)
    for (index, use) in uses.enumerated() {
      let function = use.function
      writer.addHit(image, guard: UInt64(index), entry: function.runs[0].address)
      for run in function.runs {
        var address = run.address
        for block in run.blocks {
          if use.blocks.contains(block.id), block.size > 0 {
            writer.addRecord(kind: 2, second: UInt64(block.size), entry: address &+ image.slide)
          }
          address += UInt64(block.size)
        }
      }
    }
    writer.names = functions.flatMap { function in
      function.runs.enumerated().map { index, run in
        .init(
          image: 1, address: run.address, size: run.blocks.reduce(0) { $0 + UInt64($1.size) },
          name: index == 0 ? function.name : "\(function.name).cold")
      }
    }
    return writer.bytes()
  }
}
