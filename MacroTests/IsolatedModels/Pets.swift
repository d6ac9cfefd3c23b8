import Foundation
import ObjectStore

enum Mood: String, StorableValue, CaseIterable { case calm, cross }

@Model struct Home: Equatable {
  var street = ""
  var city: String?
}

@Model struct Owner: Equatable {
  @PrimaryKey var id: UUID
  @Indexed var age = 18
  var mood: Mood
  var home = Home()
  var homes: [Home]
  @Transient var isSelected = false
  @MainActor var label: String { shown(age) }
}

@Model final class Pet {
  @PrimaryKey var name: String
  var owner: Link<Owner>?
  init(name: String) { self.name = name }
}

@Model public final class Cart { @PrimaryKey public var id = 0 }

@Model public struct Stall: Sendable { @PrimaryKey public var id = 0 }

/// Of the main actor, as what says nothing.
func shown(_ age: Int) -> String { "\(age)" }

func show(_ store: Store) throws {
  let owners = try store.snapshot().objects(Owner.self, where: \.age, equals: 3)
  while let owner = try owners.next() { print(owner.label) }
}

/// Of no actor.
nonisolated func put(_ store: Store) async throws {
  let owner = Owner(id: UUID(), mood: .calm, homes: [Home()])
  try await store.write { transaction in
    try transaction.put(owner)
    let pet = Pet(name: "Rex")
    pet.owner = Link(to: owner)
    try transaction.put(pet)
    try transaction.put(Cart())
    try transaction.put(Stall())
  }
}
