import ArgumentParser

/// A least share: `95%`, `95` or `0.95`.
package struct ShareOption: ExpressibleByArgument {
  package let percent: Double

  /// - Parameter argument: up to 1 without a percent sign is all of it and not a hundredth: the stricter way to
  ///   take it.
  package init?(argument: String) {
    let isPercentage = argument.hasSuffix("%")
    let digits = isPercentage ? argument.dropLast() : argument[...]
    // Not what else Double reads: signs, exponents, hexadecimal digits, nan.
    guard digits.allSatisfy({ $0 == "." || ("0"..."9").contains($0) }), let number = Double(digits)
    else { return nil }
    percent = isPercentage || number > 1 ? number : number * 100
    guard percent <= 100 else { return nil }
  }
}
