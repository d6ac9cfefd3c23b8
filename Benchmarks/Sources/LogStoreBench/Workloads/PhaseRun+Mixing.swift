extension PhaseRun {
  /// YCSB workloads B and A: few and many updates among reads of what is read often.
  func mixed() throws {
    let engine = try openEngine(.processKill)
    try mix(engine)
    try closeAndCheck(engine)
  }

  private func mix(_ engine: any Engine) throws {
    let zipfian = ZipfianNumbers(below: records.count)
    let reader = try warmed(engine.makeWritingReader())
    for (workload, updatePercentage) in [("ycsb-b", 5), ("ycsb-a", 50)] {
      let numbers = (0..<Self.readCount).map { _ in zipfian.next(&random) }
      let isUpdate = numbers.map { _ in random.below(100) < updatePercentage }
      let keys = AskedKeys(records, numbers)
      try measure(workload) { try mix(engine, reader, numbers, keys, isUpdate) }
    }
  }

  /// Every read sees all updates before it.
  private func mix(
    _ engine: any Engine, _ reader: any EngineReader, _ numbers: [UInt32], _ keys: AskedKeys,
    _ isUpdate: [Bool]
  ) throws -> Int {
    let updated = zip(numbers, isUpdate).lazy.filter(\.1).map(\.0)
    let coming = ComingRecords(generations, Array(updated))
    var updateCount = 0
    let stopwatch = Stopwatch()
    var sum = ByteSum()
    for (index, number) in numbers.enumerated() {
      let number = Int(number)
      if isUpdate[index] {
        coming.ask(at: updateCount)
        updateCount += 1
        try engine.put(generations.next(number))
        generations.advance(number)
      } else {
        try reader.refresh()
        guard try keys.withKey(index, { try reader.read($0) { sum.add($0) } }) else {
          throw BenchmarkError("record \(number) is missing")
        }
      }
      if index % 64 == 63, stopwatch.seconds > order.secondsMaximum { return index + 1 }
    }
    return numbers.count
  }
}
