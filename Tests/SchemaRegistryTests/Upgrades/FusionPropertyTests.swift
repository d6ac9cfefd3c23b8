import HistoryTestSupport
import Testing

/// Property: the fused plan gives what the slow interpreter gives, for every version.
///
/// `Scripts/chains.sh` tries a hundred thousand histories.
@Suite("Fused plans equal stepwise upgrades")
struct FusionPropertyTests {
  @Test(
    "Random histories of 1 to 25 operations, with swaps, returning names and nils (H9, H10)",
    arguments: 0..<8)
  func fusedEqualsStepwise(_ part: Int) throws {
    var check = ChainCheck(seed: UInt64(0xF0_5E + part))
    try check.run(60)
    #expect(check.recordCount > 500)
  }
}
