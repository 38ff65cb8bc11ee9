import Addresses
import ImageModel
import JSON
import Rendering

/// What launches of a program used, folded together: `orderfile show` of a profile.
package struct ProfileDocument: Hashable, Sendable {
  /// The number of launches that have something in common.
  package struct Count: Hashable, Sendable {
    package var reason: String
    package var launches: UInt64

    package init(reason: String, launches: UInt64) {
      self.reason = reason
      self.launches = launches
    }
  }

  package struct Image: Hashable, Sendable {
    package var path: String
    package var id: String?
    package var architecture: String?
    /// The numbers of launches that used code of the image, that executed the image as their program, and that touched
    /// data of the image.
    package var launches: UInt64
    package var programLaunches: UInt64
    package var dataLaunches: UInt64
    package var unnamedHits: UInt64

    package init(
      path: String, id: String?, architecture: String?, launches: UInt64, programLaunches: UInt64,
      dataLaunches: UInt64 = 0, unnamedHits: UInt64
    ) {
      self.path = path
      self.id = id
      self.architecture = architecture
      self.launches = launches
      self.programLaunches = programLaunches
      self.dataLaunches = dataLaunches
      self.unnamedHits = unnamedHits
    }
  }

  /// A function, or a datum.
  package struct Function: Hashable, Sendable {
    /// The image that contains the function or datum, as an index into `images`.
    package var image: Int
    package var address: StatedAddress
    /// The names of the function or datum; empty if it has no name.
    package var names: [SymbolName]
    /// The object file that defines the function; `nil` if it is unknown, and for data.
    package var objectFile: SymbolName?
    /// The number of launches that used the function or datum.
    package var launches: UInt64
    /// The number of functions, or data, of the image that the median launch used before.
    package var medianPosition: Int
    /// The time of the first use since the process started, in the launch with the earliest use; `nil` if no launch has
    /// times.
    package var firstNanoseconds: UInt64?
    /// The number of the function's basic blocks that ran in any launch; 0 if no blocks were recorded.
    package var blocks: Int

    package init(
      image: Int, address: StatedAddress, names: [SymbolName], objectFile: SymbolName? = nil,
      launches: UInt64, medianPosition: Int, firstNanoseconds: UInt64? = nil, blocks: Int = 0
    ) {
      self.image = image
      self.address = address
      self.names = names
      self.objectFile = objectFile
      self.launches = launches
      self.medianPosition = medianPosition
      self.firstNanoseconds = firstNanoseconds
      self.blocks = blocks
    }
  }

  /// A launch that is kept whole.
  package struct WholeLaunch: Hashable, Sendable {
    package var hash: UInt64
    /// The number of launches that used exactly the same functions and data.
    package var launches: UInt64
    package var functions: Int
    package var data: Int

    package init(hash: UInt64, launches: UInt64, functions: Int, data: Int = 0) {
      self.hash = hash
      self.launches = launches
      self.functions = functions
      self.data = data
    }
  }

  package var path: String
  package var launches: UInt64 = 0
  /// The numbers of incomplete launches by reason. A launch may have several reasons.
  package var incomplete: [Count] = []
  /// The ways in which recordings ended, each with its count.
  package var ends: [Count] = []
  package var lostRecords: UInt64 = 0
  package var images: [Image] = []
  /// The functions that launches used, by image, and then by median position.
  package var functions: [Function] = []
  /// The data that launches touched, by image, and then by median position; empty if data were not recorded.
  package var data: [Function] = []
  package var wholeLaunches: [WholeLaunch] = []
  /// The command lines and inputs of the launches, where traces state them.
  package var workloads: [WorkloadSummary] = []

  package init(path: String) { self.path = path }
}

extension ProfileDocument: ShownDocument {
  package static let schema = "orderfile.profile/1"

  package func write(to json: inout JSONWriter, demangle: NameWording?) {
    json.array("data") { json in
      for datum in data { json.object { datum.write(to: &$0, demangle: demangle) } }
    }
    json.member("ends", ends)
    json.array("functions") { json in
      for function in functions { json.object { function.write(to: &$0, demangle: demangle) } }
    }
    json.member("images", images)
    json.member("incomplete", incomplete)
    json.member("launches", launches)
    json.member("lostRecords", lostRecords)
    json.member("path", path)
    json.member("schema", Self.schema)
    json.array("wholeLaunches") { json in
      for launch in wholeLaunches {
        json.object { json in
          json.member("data", launch.data)
          json.member("functions", launch.functions)
          json.member("hash", hexadecimal(launch.hash))
          json.member("launches", launch.launches)
        }
      }
    }
    if !workloads.isEmpty {
      json.array("workloads") { json in
        for workload in workloads {
          json.object { json in
            json.member("commandLine", WorkloadSummary.text(workload.commandLine))
            if let inputs = workload.inputs {
              json.member("inputs", WorkloadSummary.text(inputs))
            }
            json.member("launch", workload.launch)
          }
        }
      }
    }
  }
}

extension ProfileDocument.Count: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("launches", launches)
    json.member("reason", reason)
  }
}

extension ProfileDocument.Image: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.optional("architecture", architecture)
    json.member("dataLaunches", dataLaunches)
    json.optional("imageID", id)
    json.member("launches", launches)
    json.member("path", path)
    json.member("programLaunches", programLaunches)
    json.member("unnamedHits", unnamedHits)
  }
}

extension ProfileDocument.Function {
  fileprivate func write(to json: inout JSONWriter, demangle: NameWording?) {
    json.member("address", hexadecimal(address.rawValue))
    if names.count > 1 {
      json.member("aliases", Array(names.dropFirst()))
    }
    if blocks > 0 { json.member("blocks", blocks) }
    if let name = names.first, let demangled = demangle?(name), demangled != name.description {
      json.member("demangledName", demangled)
    }
    json.optional("firstNanoseconds", firstNanoseconds)
    json.member("image", image)
    json.member("launches", launches)
    json.member("medianPosition", medianPosition)
    json.optional("name", names.first)
    json.optional("objectFile", objectFile)
  }
}
