import Testing

@testable import LogStoreCommands

@Suite("Numbers are written as people read them")
struct ByteCountTests {
  @Test(
    "Bytes get a binary unit with one digit behind the point",
    arguments: [
      (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (10_189, "10.0 KiB"),
      (1_048_524, "1023.9 KiB"), (1_048_575, "1.0 MiB"), (1_048_576, "1.0 MiB"),
      (20 << 30, "20.0 GiB"), (UInt64.max, "16.0 EiB"),
    ] as [(UInt64, String)])
  func bytes(value: UInt64, text: String) {
    #expect(ByteCount(value).description == text)
  }

  @Test(
    "Large numbers get commas",
    arguments: [
      (0, "0"), (999, "999"), (1000, "1,000"), (63_666, "63,666"), (1_234_567, "1,234,567"),
      (UInt64.max, "18,446,744,073,709,551,615"),
    ] as [(UInt64, String)])
  func grouped(value: UInt64, text: String) {
    #expect(GroupedNumber(value).description == text)
  }

  @Test(
    "Durations get the unit that fits",
    arguments: [
      (Duration.milliseconds(-5), "0 ms"), (.milliseconds(850), "850 ms"),
      (.milliseconds(4250), "4.2 s"), (.seconds(65), "1 min 05 s"),
      (.seconds(2 * 3600 + 7 * 60 + 59), "2 h 07 min"),
    ])
  func durations(duration: Duration, text: String) {
    #expect(DurationText(duration).description == text)
  }
}
