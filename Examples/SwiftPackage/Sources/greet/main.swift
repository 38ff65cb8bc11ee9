import CClock
import Catalog

func complain() {
  print("usage: greet NAME SECONDS-SINCE-MIDNIGHT")
}

let arguments = CommandLine.arguments
if arguments.count == 3, let seconds = Int(arguments[2]) {
  let catalog = Catalog()
  let phrase = catalog.phrase(at: Int(cclock_hour(seconds)))
  print(phrase?.text(name: arguments[1]) ?? catalog.listing())
} else {
  complain()
}
