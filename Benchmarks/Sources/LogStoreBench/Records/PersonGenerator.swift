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
    person.firstName = one(of: PersonWords.firstNames)
    person.lastName = one(of: PersonWords.lastNames)
    let account = "\(person.firstName).\(person.lastName)\(random.below(100))".lowercased()
    let domain = one(of: PersonWords.domains)
    person.email = "\(account)@\(domain)"
    person.phone = "+\(digits(11))"
    person.birthDate =
      "\(1930 + random.below(80))-\(two(1 + random.below(12)))-\(two(1 + random.below(28)))"
    person.street = "\(one(of: PersonWords.streets)) Street \(1 + random.below(150))"
    person.postalCode = digits(5)
    person.city = one(of: PersonWords.cities)
    person.country = one(of: PersonWords.countries)
    person.occupation = one(of: PersonWords.occupations)
    if random.below(3) > 0 { person.website = "\(domain)/\(account)" }
    person.createdAt = "20\(10 + random.below(15))-\(two(1 + random.below(12)))"
    let noteByteCount = random.below(75) + random.below(75) + addedByteCount
    while person.note.utf8.count < noteByteCount {
      if !person.note.isEmpty { person.note += " " }
      person.note += one(of: PersonWords.noteWords)
    }
    return person
  }
}
