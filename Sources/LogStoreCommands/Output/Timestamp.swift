/// A point in time as text: ISO 8601 in UTC, as in `2026-11-21T04:07:00.250Z`.
///
/// The days of the Gregorian calendar are computed as in Howard Hinnant's "chrono-compatible
/// low-level date algorithms": years are counted from March, so the leap day ends them.
struct Timestamp: Equatable, Sendable {
  /// Seconds since the start of 2001 in UTC, as values of dates are stored.
  var secondsSince2001: Double

  private static let secondsPerDay: Int64 = 86_400
  private static let nanosecondsPerSecond: Int64 = 1_000_000_000
  /// The start of 2001, in days since the start of 1970.
  private static let dayOf2001: Int64 = 11_323

  init(secondsSince2001: Double) {
    self.secondsSince2001 = secondsSince2001
  }

  /// The text, or nothing for times that are not finite, outside the years 0000 to 9999, or named
  /// exactly by no nine digits, as can be within weeks of 2001.
  ///
  /// Three digits follow the second where they name the time exactly, otherwise six, or nine.
  var text: String? {
    let whole = secondsSince2001.rounded(.down)
    guard let seconds = Int64(exactly: whole), seconds.magnitude < 1 << 40 else { return nil }
    let rest = secondsSince2001 - whole
    let forms: [(digits: Int, unit: Double)] = [(3, 1e3), (6, 1e6), (9, 1e9)]
    for form in forms {
      var count = Int64((rest * form.unit).rounded())
      var second = seconds
      if count == Int64(form.unit) {
        count = 0
        second += 1
      }
      guard let text = Self.text(second: second, fraction: count, digits: form.digits) else {
        return nil
      }
      // Equal is not enough: 0 and -0 are equal, and two values.
      let parsed = Timestamp(parsing: text)
      if parsed?.secondsSince2001.bitPattern == secondsSince2001.bitPattern { return text }
    }
    return nil
  }

  private static func text(second: Int64, fraction: Int64, digits: Int) -> String? {
    let day = floorDivide(second, secondsPerDay)
    let (year, month, dayOfMonth) = calendarDate(daySince1970: day + dayOf2001)
    guard (0...9999).contains(year) else { return nil }
    let time = second - day * secondsPerDay
    return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(dayOfMonth, 2) + "T"
      + padded(time / 3600, 2) + ":" + padded(time / 60 % 60, 2) + ":" + padded(time % 60, 2)
      + "." + padded(fraction, digits) + "Z"
  }

  private static func padded(_ value: Int64, _ digits: Int) -> String {
    let text = "\(value)"
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
    value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor)
  }

  private static func calendarDate(daySince1970: Int64) -> (Int64, Int64, Int64) {
    // Days since 1 March 0000; an era is the 400 years after which the calendar repeats.
    let shifted = daySince1970 + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  private static func daySince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = floorDivide(shiftedYear, 400)
    let yearOfEra = shiftedYear - era * 400
    let monthFromMarch = month > 2 ? month - 3 : month + 9
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Reads the text form with no, or 1 to 9 digits behind the second; nothing for other texts.
  init?(parsing text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
    let marks: [(Int, Unicode.Scalar)] = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")]
    guard marks.allSatisfy({ bytes[$0.0] == UInt8(ascii: $0.1) }),
      let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[5..<7]),
      let day = Self.number(bytes[8..<10]), let hour = Self.number(bytes[11..<13]),
      let minute = Self.number(bytes[14..<16]), let second = Self.number(bytes[17..<19]),
      let nanoseconds = Self.nanoseconds(bytes[19..<bytes.count - 1]),
      hour < 24, minute < 60, second < 60
    else { return nil }
    let daySince1970 = Self.daySince1970(year: year, month: month, day: day)
    // A day that does not exist, such as 30 February, comes back as another.
    guard Self.calendarDate(daySince1970: daySince1970) == (year, month, day) else { return nil }
    let seconds =
      (daySince1970 - Self.dayOf2001) * Self.secondsPerDay + hour * 3600 + minute * 60 + second
    secondsSince2001 =
      Double(seconds) + Double(nanoseconds) / Double(Self.nanosecondsPerSecond)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    var value: Int64 = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      value = value * 10 + Int64(digit - UInt8(ascii: "0"))
    }
    return value
  }

  private static func nanoseconds(_ fraction: ArraySlice<UInt8>) -> Int64? {
    guard let point = fraction.first else { return 0 }
    let digits = fraction.dropFirst()
    guard point == UInt8(ascii: "."), (1...9).contains(digits.count) else { return nil }
    return number(digits + repeatElement(UInt8(ascii: "0"), count: 9 - digits.count))
  }
}
