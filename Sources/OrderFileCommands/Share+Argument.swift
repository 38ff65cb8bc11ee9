import ArgumentParser
import ImageModel

extension Share: ExpressibleByArgument {
  package init?(argument: String) { self.init(argument) }
}
