internal import BinaryCoding
internal import FileIO
internal import Synchronization

extension DictionaryShelf {
  /// Takes a dictionary out of use; what was compressed against it stays readable.
  ///
  /// False when it has the highest identifier: that must never be given to another one, of which
  /// those who have read this one would know nothing.
  func retire(_ identifier: DictionaryIdentifier) -> Bool {
    state.withLock { state in
      if let count = state.retirements[identifier] {
        state.retirements[identifier] = count + 1
        return true
      }
      let all = state.tables.last?.dictionaries ?? []
      guard all.contains(where: { $0.identifier > identifier && state.mayBeUsed($0) }) else {
        return false
      }
      state.retirements[identifier] = 1
      hasRetired.store(true, ordering: .releasing)
      publish(all, &state)
      return true
    }
  }

  /// How often a copy of a dictionary was about to be left out; nothing for one that is in use.
  func retirement(of identifier: DictionaryIdentifier) -> Int? {
    state.withLock { state in state.retirements[identifier] }
  }

  /// Notes that copies of a dictionary are not in the log any more.
  func removeCopies(_ copies: UInt8, of identifier: DictionaryIdentifier) {
    state.withLock { state in
      guard var known = state.copies[identifier], state.retirements[identifier] != nil else {
        return
      }
      known.intact &= ~copies
      state.copies[identifier] = known.intact == 0 ? nil : known
    }
  }

  /// Those dictionaries of `uses` that are out of use.
  func retired(among uses: DictionaryUses) -> [CompressionDictionary] {
    guard hasRetired.load(ordering: .acquiring), !uses.isEmpty else { return [] }
    return state.withLock { state in
      (state.tables.last?.dictionaries ?? []).filter {
        state.retirements[$0.identifier] != nil && uses.uses[$0.identifier.rawValue] != nil
      }
    }
  }

  /// Takes a dictionary that was out of use into use again: both copies were written anew.
  ///
  /// Not where a copy was about to be left out since the `retirement` that was seen before they
  /// were written: it may be one of these.
  func revive(_ dictionary: CompressionDictionary, after retirement: Int? = nil) {
    state.withLock { state in
      guard let last = state.retirements[dictionary.identifier], last == retirement ?? last else {
        return
      }
      state.retirements[dictionary.identifier] = nil
      state.copies.update(dictionary.identifier, from: Copies()) { $0.intact = 0b11 }
      publish(state.tables.last?.dictionaries ?? [], &state)
    }
  }
}
