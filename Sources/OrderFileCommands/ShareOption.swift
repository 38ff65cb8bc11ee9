import ArgumentParser

/// The smallest share that passes a check: `95%`, `95` or `0.95`.
package struct ShareOption: ExpressibleByArgument {
  package let percent: Double

  /// - Parameter argument: without a percent sign, numbers up to 1 are fractions: `1` is 100%, the stricter reading.
  package init?(argument: String) {
    let isPercentage = argument.hasSuffix("%")
    let digits = isPercentage ? argument.dropLast() : argument[...]
    // `Double` also accepts signs, exponents, hexadecimal digits and nan.
    guard digits.allSatisfy({ $0 == "." || ("0"..."9").contains($0) }), let number = Double(digits)
    else { return nil }
    percent = isPercentage || number > 1 ? number : number * 100
    guard percent <= 100 else { return nil }
  }
}
