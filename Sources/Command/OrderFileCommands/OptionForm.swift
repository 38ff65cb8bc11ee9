import ArgumentParser

/// Returns a function that reads the value of an option, for the option's `transform`. If the value has another form, the
/// error names `form`; without a transform the error would only say that the value is invalid.
func expecting<Value: ExpressibleByArgument>(
  _ form: String
) -> @Sendable (String) throws -> Value {
  { text in
    guard let value = Value(argument: text) else { throw ValidationError("expected \(form)") }
    return value
  }
}
