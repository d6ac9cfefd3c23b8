import Foundation

/// Numbers as a reader wants them: three digits and a unit.
enum Figure {
  /// 1234567 as 1.23 M.
  static func short(_ value: Double) -> String {
    switch value {
    case 1e6...: digits(value / 1e6) + " M"
    case 1e4...: digits(value / 1e3) + " k"
    default: digits(value)
    }
  }

  /// 99.9 as 99.9, 50 as 50.
  static func exact(_ value: Double) -> String {
    value == value.rounded() ? "\(Int(value))" : "\(value)"
  }

  /// Nanoseconds as the unit that fits.
  static func time(nanoseconds: Double) -> String {
    switch nanoseconds {
    case 1e9...: digits(nanoseconds / 1e9) + " s"
    case 1e6...: digits(nanoseconds / 1e6) + " ms"
    case 1e3...: digits(nanoseconds / 1e3) + " µs"
    default: digits(nanoseconds) + " ns"
    }
  }

  private static func digits(_ value: Double) -> String {
    switch value {
    case 100...: String(format: "%.0f", value)
    case 10...: trimmed(String(format: "%.1f", value))
    default: trimmed(String(format: "%.2f", value))
    }
  }

  private static func trimmed(_ text: String) -> String {
    var text = text[...]
    while text.hasSuffix("0") { text = text.dropLast() }
    return String(text.hasSuffix(".") ? text.dropLast() : text)
  }
}
