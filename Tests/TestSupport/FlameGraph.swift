import Foundation

/// The script that draws folded stacks, in Debian's package of Devel::NYTProf.
package let flameGraphScript = "/usr/share/perl5/Devel/NYTProf/flamegraph.pl"

extension Requirement {
  package static let flameGraph = Requirement("flamegraph.pl of libdevel-nytprof-perl") {
    toolPath("perl") != nil && FileManager.default.fileExists(atPath: flameGraphScript)
  }
}
