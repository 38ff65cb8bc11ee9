extension ProgramLaunch.End: CustomStringConvertible {
  package var description: String {
    switch self {
    case .exited(let status): "exit status \(status)"
    case .killed(let signal): "killed by signal \(signal)"
    }
  }
}
