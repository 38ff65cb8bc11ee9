import ImageModel
import Symbolication
import TestSupport
import Testing

/// Tests which slice of a fat file is read, and the errors if the slice can't be determined.
@Suite(.needs(.appleSDK, "llvm-nm-19", "llvm-strip-19")) struct FatImageTests {
  static let source = [(name: "main.c", text: "int main(void) { return 0; }")]

  /// Builds the images `arm` and `intel`, and the fat file `fat` with both.
  static func build() throws -> MachOBuild {
    let build = try MachOBuild(.macOS, sources: source)
    let intel = try MachOBuild(.macOSx8664, sources: source)
    try build.move("image", to: "arm")
    try build.workshop.write(intel.bytes("image"), "intel")
    try build.run(build.sdk.lipo, ["-create", "intel", "arm", "-output", "fat"])
    return build
  }

  @Test func theSliceThatIsAskedForIsRead() throws {
    let build = try Self.build()
    for (name, architecture) in [("arm", Architecture.arm64), ("intel", .x8664)] {
      let whole = try build.read(name).image
      let slice = try build.read("fat", slice: SliceChoice(architecture)).image
      #expect(slice.id == whole.id)
      #expect(slice.architecture == architecture)
      #expect(slice.layout.sections == whole.layout.sections)
      #expect(slice.layout.functions.map(\.address) == whole.layout.functions.map(\.address))
      #expect(try build.read(name, slice: SliceChoice(architecture)).image.id == whole.id)
    }
  }

  @Test func aRecordedUUIDDecides() throws {
    let build = try Self.build()
    for name in ["arm", "intel"] {
      let id = try #require(try build.read(name).image.id)
      let ids = [ImageID(kind: .uuid, bytes: [1]), id]
      #expect(try build.read("fat", slice: SliceChoice(knownAs: ids)).image.id == id)
    }
  }

  /// The slice that a device runs may be another one than the slice to order.
  @Test func theRecordedImageIsReadWhicheverArchitectureIsOrdered() throws {
    let build = try Self.build()
    let id = try #require(try build.read("arm").image.id)
    let slice = SliceChoice(.x8664, knownAs: [id])
    #expect(try build.read("fat", slice: slice).image.id == id)
    #expect(try build.read("arm", slice: slice).image.id == id)
    let other = SliceChoice(.x8664, knownAs: [ImageID(kind: .uuid, bytes: [1])])
    #expect(try build.read("fat", slice: other).image.architecture == .x8664)
  }

  @Test func theOnlySliceNeedsNoWord() throws {
    let build = try Self.build()
    try build.run(build.sdk.lipo, ["-create", "arm", "-output", "single"])
    #expect(try build.bytes("single").prefix(4) == [0xca, 0xfe, 0xba, 0xbe])
    #expect(try build.read("single").image.id == build.read("arm").image.id)
  }

  @Test func twoSlicesNeedAWordOrAKnownID() throws {
    let build = try Self.build()
    for ids in [[], [ImageID(kind: .uuid, bytes: [UInt8](repeating: 1, count: 16))]] {
      let error = #expect(throws: Diagnostic.self) {
        try build.read("fat", slice: SliceChoice(knownAs: ids))
      }
      #expect(
        error?.description == """
          \(build.path("fat")): missing architecture: the file has images for x86_64, arm64
            hint: choose one with '--arch'
          """)
    }
  }

  @Test func anArchitectureThatIsNotThereIsAMismatch() throws {
    let build = try Self.build()
    for (name, found) in [("fat", "x86_64, arm64"), ("arm", "arm64")] {
      let error = #expect(throws: Diagnostic.self) {
        try build.read(name, slice: SliceChoice(.arm64e))
      }
      #expect(
        error?.message == "architecture mismatch: expected arm64e, found \(found)")
      #expect(error?.severity == .mismatch)
    }
  }

  @Test func whatIsNoLinkedImageIsRefused() throws {
    let build = try Self.build()
    try build.run("llvm-ar-19", ["rc", "lib.a", "main.c.o"])
    try build.run(build.sdk.lipo, ["-create", "lib.a", "-output", "fat.a"])
    var old = try build.bytes("arm")
    old[0] = 0xce  // MH_MAGIC
    try build.workshop.write(old, "old")
    old.replaceSubrange(0..<4, with: [0xfe, 0xed, 0xfa, 0xcf])
    try build.workshop.write(old, "big")
    for (name, message) in [
      (
        "main.c.o",
        "unsupported filetype: found MH_OBJECT, expected a linked image (at offset 0xc)"
      ),
      ("lib.a", "unsupported file: found an archive, expected a linked image"),
      ("fat.a", "arm64: unsupported file: found an archive, expected a linked image"),
      ("old", "unsupported file: found a 32-bit Mach-O file (at offset 0x0)"),
      ("big", "unsupported file: found a big-endian Mach-O file (at offset 0x0)"),
    ] {
      let error = #expect(throws: Diagnostic.self) { try build.read(name) }
      #expect(error?.description == "\(build.path(name)): \(message)")
    }
  }

  @Test func anEncryptedImageSaysSo() throws {
    let build = try MachOBuild(
      .iOS, linkerFlags: ["-encryptable"], sources: Self.source)
    #expect(try build.read().warnings.isEmpty)
    var bytes = try build.bytes("image")
    let command = try #require(MachOEditor.command(0x2c, in: bytes))  // LC_ENCRYPTION_INFO_64
    bytes[command + 16] = 1  // cryptid
    try build.workshop.write(bytes, "shipped")
    let error = #expect(throws: Diagnostic.self) { try build.read("shipped") }
    #expect(
      error?.description == """
        \(build.path("shipped")): unsupported image: encrypted by the App Store
          hint: give the image of the archive that was uploaded
        """)
  }
}
