// usage: FUZZ_TARGET=name fuzz [libFuzzer's options] [folders of inputs]

import Foundation
import FuzzTargets
import LibFuzzer

let targetName = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
guard let target = FuzzTarget(named: targetName) else {
  // Lists the targets, also for the script that runs all of them.
  for target in FuzzTarget.all { print(target.name) }
  exit(targetName.isEmpty ? 0 : 64)
}
chosen = target
var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(
  LLVMFuzzerRunDriver(&count, &arguments) { bytes, size in
    let input = [UInt8](UnsafeBufferPointer(start: bytes, count: size))
    memory.check(input) { chosen?.run($0) }
    return 0
  })
