/// Makes persons: the same one for the same number and seed, on every machine.
struct PersonGenerator {
  let seed: UInt64
  /// Bytes that a note is stretched by, for records of about a KiB.
  let addedByteCount: Int

  /// The person with that number.
  func person(_ number: Int) -> Person {
    var random = SplitMix(seed: seed &+ UInt64(number) &* 0xD134_2543_DE82_EF95)
    func one(of words: [String]) -> String { words[random.below(words.count)] }
    func digits(_ count: Int) -> String {
      String((0..<count).map { _ in Character(UnicodeScalar(UInt8(48 + random.below(10)))) })
    }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    var person = Person()
    person.id = number
    person.balance = random.below(100_000) - 20_000
    person.firstName = one(of: PersonWords.firstNames)
    person.lastName = one(of: PersonWords.lastNames)
    let account = "\(person.firstName).\(person.lastName)".lowercased()
    let domain = one(of: PersonWords.domains)
    person.email = "\(account)@\(domain)"
    if random.below(2) > 0 { person.phone = "+49 30 \(digits(6))" }
    let month = "\(two(1 + random.below(12)))"
    person.birthDate = "\(1930 + random.below(80))-\(month)-\(two(1 + random.below(28)))"
    let street = "\(one(of: PersonWords.streets)) Street \(1 + random.below(150))"
    person.city = one(of: PersonWords.cities)
    person.address = "\(street), \(digits(5)) \(person.city)"
    // Bills go there too, but for a few.
    if random.below(6) > 0 { person.billingAddress = person.address }
    person.country = one(of: PersonWords.countries)
    if random.below(3) > 0 { person.occupation = one(of: PersonWords.occupations) }
    if random.below(4) == 0 { person.website = "www.\(domain)/\(account)" }
    person.createdAt = "20\(10 + random.below(15))-\(month)-\(two(1 + random.below(28)))"
    // Most were never changed since.
    person.updatedAt = random.below(4) > 0 ? person.createdAt : "2025-\(month)-01"
    let noteByteCount = random.below(96) - 45 + addedByteCount
    while person.note.utf8.count < noteByteCount {
      if !person.note.isEmpty { person.note += "; " }
      person.note += one(of: PersonWords.phrases)
    }
    return person
  }
}
