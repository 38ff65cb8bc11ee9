import LaunchMeasurement
import TestSupport
import Testing

@Suite struct MountTableTests {
  static let text = Array(
    """
    27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
    22 27 0:21 / /proc rw,relatime - proc proc rw
    40 27 8:17 / /mnt/with\\040blank rw shared:2 master:1 - xfs /dev/sdb1 rw
    41 27 0:50 / /mnt rw - tmpfs tmpfs rw
    42 27 0:51 /sub /home rw - btrfs /dev/sdc rw,subvol=/sub
    43 42 0:52 / /home rw - overlay overlay rw,lowerdir=/a
    44 27 7:0 / /back\\134slash rw - ext4 /dev/loop0 rw

    """.utf8)

  @Test(arguments: [
    ("/bin/app", "254:0", "ext4"), ("/", "254:0", "ext4"), ("/proc/1/exe", "0:21", "proc"),
    ("/process", "254:0", "ext4"), ("/mnt/with blank/app", "8:17", "xfs"),
    ("/mnt/x", "0:50", "tmpfs"), ("/home/app", "0:52", "overlay"), ("/home", "0:52", "overlay"),
    ("/back\\slash/a", "7:0", "ext4"),
  ])
  func theNearestAndLastMountHoldsAFile(path: String, device: String, fileSystem: String) {
    let mount = MountTable(Self.text).mount(of: path)
    #expect(mount?.device == device && mount?.fileSystem == fileSystem)
  }

  @Test func linesOfAnotherKindArePassedOver() {
    let odd = Array("\n - \n1 2 3\n1 2 3 4 5 6 7 8\n1 2 3 4 - 6 7 8\n\\ \\ \\ \\ \\0 \\ - a\n".utf8)
    #expect(MountTable(odd).mounts.map(\.path) == ["\\0"])
    #expect(MountTable([]).mount(of: "/") == nil)
  }

  @Test func damagedTablesNeverTrap() {
    for length in hostilePrefixLengths(of: Self.text) {
      _ = MountTable(Array(Self.text[..<length])).mount(of: "/mnt/with blank/app")
    }
    for copy in byteFlips(of: Self.text) { _ = MountTable(copy).mount(of: "/home/app") }
  }
}
