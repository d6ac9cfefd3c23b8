import Foundation
import Testing

@testable import LogStoreCommands

@Suite("Points in time are written in UTC and read back")
struct TimestampTests {
  @Test(
    "Known times",
    arguments: [
      (0, "2001-01-01T00:00:00.000Z"), (-0.5, "2000-12-31T23:59:59.500Z"),
      (-978_307_200, "1970-01-01T00:00:00.000Z"),
      (86_400 * 365 * 3 + 59 * 86_400, "2004-02-29T00:00:00.000Z"),
      (0.001, "2001-01-01T00:00:00.001Z"), (0.000_25, "2001-01-01T00:00:00.000250Z"),
      (-63_145_526_400, "0000-01-01T00:00:00.000Z"),
      (252_423_993_599, "9999-12-31T23:59:59.000Z"),
    ] as [(Double, String)])
  func known(seconds: Double, text: String) {
    #expect(Timestamp(secondsSince2001: seconds).text == text)
  }

  @Test(
    "Times that neither four digits of a year nor nine of a second can name have no text",
    arguments: [
      .nan, .infinity, -.infinity, 252_423_993_600, -63_145_526_401, 1e300, -0x1p63, 0x1p63,
      -0.0, 0.999_999_999_9, 0.123_456_789_012_3,
    ] as [Double])
  func unnameable(seconds: Double) {
    #expect(Timestamp(secondsSince2001: seconds).text == nil)
  }

  @Test("Every day of 800 years, to the millisecond, agrees with Foundation's calendar")
  func everyDay() throws {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    for day in stride(from: -146_097, through: 146_097, by: 61) {
      let seconds = Double(day) * 86_400 + 12_345.678
      let text = try #require(Timestamp(secondsSince2001: seconds).text)
      let expected = Date(timeIntervalSinceReferenceDate: seconds + 0.0001).formatted(style)
      #expect(text.prefix(23) == expected.prefix(23))
      #expect(Timestamp(parsing: text)?.secondsSince2001 == seconds)
    }
  }

  @Test(
    "Other texts are refused",
    arguments: [
      "", "2001-01-01", "2001-01-01T00:00:00", "2001-01-01T00:00:00+00:00", "2001-13-01T00:00:00Z",
      "2001-02-29T00:00:00Z", "2001-01-00T00:00:00Z", "2001-01-01T24:00:00Z",
      "2001-01-01T00:60:00Z", "2001-01-01T00:00:60Z", "2001-01-01T00:00:00.Z",
      "2001-01-01T00:00:00.1234567890Z", "2001-01-01T00:00:00,5Z", "2001-01-01 00:00:00Z",
      "-001-01-01T00:00:00Z", "2001-01-01T00:00:00.1éZ",
    ])
  func refused(text: String) {
    #expect(Timestamp(parsing: text) == nil)
  }

  @Test("Seconds may have no fraction, or up to nine digits")
  func fractions() {
    #expect(Timestamp(parsing: "2001-01-01T00:00:01Z")?.secondsSince2001 == 1)
    #expect(Timestamp(parsing: "2001-01-01T00:00:01.5Z")?.secondsSince2001 == 1.5)
    #expect(Timestamp(parsing: "2001-01-01T00:00:00.000000001Z")?.secondsSince2001 == 1e-9)
  }
}
