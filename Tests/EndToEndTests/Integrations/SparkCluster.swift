import Foundation
import TestSupport
import Testing

/// The installation of Spark that `Scripts/bootstrap.sh fleet` makes.
enum Spark {
  static let packages = projectFolder.appendingPathComponent(".build/fleet").path
  static let home = "\(packages)/pyspark"
  static let environment = ProcessInfo.processInfo.environment.merging([
    "PYTHONPATH": "\(packages):\(projectFolder.appendingPathComponent("Fleet").path)",
    "PYTHONDONTWRITEBYTECODE": "1", "SPARK_HOME": home,
    "SPARK_LOCAL_IP": "127.0.0.1",
  ]) { $1 }
}

extension Requirement {
  static let spark = Requirement("java, python3 and what Scripts/bootstrap.sh fleet installs") {
    toolPath("java") != nil && toolPath("python3") != nil
      && FileManager.default.fileExists(atPath: Spark.home)
  }
}

/// A cluster of Spark's own kind: a master and two workers, each a process, on the loopback interface.
final class SparkCluster {
  /// The address of the cluster's master.
  let master: String
  private let workshop: Workshop
  private let masterProcess: RunningProcess
  private let workers: [RunningProcess]

  init(in workshop: Workshop) throws {
    func start(_ role: String, _ arguments: [String]) throws -> RunningProcess {
      try RunningProcess(
        "\(Spark.home)/bin/spark-class",
        [
          "org.apache.spark.deploy.\(role)", "--host", "127.0.0.1", "--port", "0", "--webui-port",
          "0",
        ]
          + arguments, in: workshop.folder, environment: Spark.environment, errors: .withOutput)
    }
    let address = /Starting Spark master at (spark:[0-9.:\/]+)/
    let process = try start("master.Master", [])
    try process.wait(for: "the address") { process.output.contains(address) }
    let master = String(try #require(process.output.firstMatch(of: address)?.1))
    workers = try (0..<2).map { number in
      try start(
        "worker.Worker", ["--cores", "1", "--memory", "1g", "--work-dir", "work\(number)", master])
    }
    for worker in workers { try worker.waitForOutput("Successfully registered with master") }
    masterProcess = process
    self.master = master
    self.workshop = workshop
  }

  /// Kills the worker that runs an executor, with it.
  func killWorker(ofExecutor executor: Substring, of job: RunningProcess) throws {
    let application = try #require(job.output.firstMatch(of: /app-[0-9]+-[0-9]+/)?.0)
    let number = try #require(
      (0..<2).first {
        FileManager.default.fileExists(
          atPath: workshop.path("work\($0)/\(application)/\(executor)"))
      })
    workers[number].sendToGroup(SIGKILL)
  }
}
