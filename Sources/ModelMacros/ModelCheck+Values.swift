#if Macros
  internal import SwiftSyntax

  /// What members begin with, and what attributes say of that.
  extension ModelCheck {
    /// Whether a member has a value before an initialiser runs, as far as its own words tell.
    static func isInitialized(
      _ binding: PatternBindingSyntax, of type: TypeSyntax?, in variable: VariableDeclSyntax
    ) -> Bool {
      if binding.initializer != nil { return true }
      if variable.modifiers.contains(where: { $0.name.text == "lazy" }) { return true }
      // Only what can be set again begins with nil.
      return variable.bindingSpecifier.text == "var"
        && (type?.is(OptionalTypeSyntax.self) == true
          || type?.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) == true)
    }

    /// Attributes that may be property wrappers: those of the language have small letters.
    static func wrappers(of variable: VariableDeclSyntax) -> [AttributeSyntax] {
      variable.attributes.compactMap { $0.as(AttributeSyntax.self) }.filter { attribute in
        guard !isMarker(attribute), let name = lastName(attribute.attributeName) else {
          return false
        }
        return name != "MainActor" && name.first?.isUppercase == true
      }
    }

    private static func isMarker(_ attribute: AttributeSyntax) -> Bool {
      name(attribute.attributeName, in: "ObjectStore").map(markers.contains) == true
    }

    /// Whether one of the macros' attributes is in an element, which may be an `#if` with several.
    static func holdsMarker(_ element: AttributeListSyntax.Element) -> Bool {
      if let attribute = element.as(AttributeSyntax.self) { return isMarker(attribute) }
      guard let condition = element.as(IfConfigDeclSyntax.self) else { return false }
      return condition.clauses.contains { clause in
        guard case .attributes(let attributes)? = clause.elements else { return false }
        return attributes.contains(where: holdsMarker)
      }
    }

    /// What a wrapper begins with is known to the compiler alone, which tells when it is nothing.
    mutating func checkTransient(
      _ member: inout ModelDescription.Member, of binding: PatternBindingSyntax,
      _ wrappers: [AttributeSyntax]
    ) {
      if member.hasInitialValue { return }
      if wrappers.isEmpty {
        report(
          "the transient member '\(member.name)' needs an initial value, as it is not read from "
            + "the store", at: binding)
      } else {
        member.hasInitialValue = true
      }
    }

    /// Whether an attribute says what the member begins with.
    private static func givesValue(_ attribute: AttributeSyntax) -> Bool {
      guard case .argumentList(let arguments)? = attribute.arguments else { return false }
      return arguments.contains { $0.label?.text == "wrappedValue" }
    }

    mutating func checkStored(
      _ member: ModelDescription.Member, of type: TypeSyntax?, _ wrappers: [AttributeSyntax]
    ) {
      if let found = type.flatMap(Self.existential) {
        report(
          "this type cannot be that of a member, as a protocol does not tell what is stored: name "
            + "one type, make an embedded object of what they share, or mark the member @Transient",
          at: found)
      }
      if !member.hasInitialValue, let wrapper = wrappers.first(where: Self.givesValue) {
        report(
          "'\(member.name)' may begin with a value that this attribute gives it, which cannot be "
            + "seen here; give it its value by '='", at: wrapper)
      }
    }
  }
#endif
