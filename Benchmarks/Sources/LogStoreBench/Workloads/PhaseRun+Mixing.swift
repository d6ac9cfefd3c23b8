extension PhaseRun {
  /// YCSB workloads B and A: few and many updates among reads of what is read often.
  func mixed() throws {
    let zipfian = ZipfianNumbers(below: records.count)
    let engine = try openEngine(.processKill)
    try warmUp(engine)
    for (workload, updatePercentage) in [("ycsb-b", 5), ("ycsb-a", 50)] {
      let numbers = (0..<Self.readCount).map { _ in zipfian.next(&random) }
      let isUpdate = numbers.map { _ in random.below(100) < updatePercentage }
      try measure(workload) { try mix(engine, numbers, isUpdate) }
    }
    try closeAndCheck(engine)
  }

  /// Every read sees all updates before it.
  private func mix(
    _ engine: any Engine, _ numbers: [UInt32], _ isUpdate: [Bool]
  ) throws -> Int {
    let reader = try engine.makeReader()
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
        guard try reader.read(records.key(number), { sum.add($0) }) else {
          throw BenchmarkError("record \(number) is missing")
        }
      }
      if index % 64 == 63, stopwatch.seconds > order.secondsMaximum { return index + 1 }
    }
    return numbers.count
  }
}
