#if Macros
  internal import SwiftSyntax

  /// What the types that are written tell.
  extension ModelCheck {
    /// The type that is written for a binding, which may stand at a later one: `var a, b: Int?`.
    static func type(of binding: PatternBindingSyntax, in variable: VariableDeclSyntax)
      -> TypeSyntax?
    {
      for other in variable.bindings.drop(while: { $0.id != binding.id }) {
        if let type = other.typeAnnotation?.type { return plain(type) }
        if let initializer = other.initializer { return cast(in: initializer.value).map(plain) }
      }
      return nil
    }

    /// The type in `Circle() as any Figure`, in a list of operators and operands or in a tree.
    private static func cast(in value: ExprSyntax) -> TypeSyntax? {
      if let cast = value.as(AsExprSyntax.self) { return cast.type }
      guard let parts = value.as(SequenceExprSyntax.self)?.elements.suffix(2),
        parts.first?.is(UnresolvedAsExprSyntax.self) == true
      else { return nil }
      return parts.last?.as(TypeExprSyntax.self)?.type
    }

    /// A type without parentheses around it.
    private static func plain(_ type: TypeSyntax) -> TypeSyntax {
      guard let elements = type.as(TupleTypeSyntax.self)?.elements, elements.count == 1,
        let inner = elements.first?.type
      else { return type }
      return plain(inner)
    }

    /// What holds several values.
    enum Container { case list, dictionary }

    /// Which container a type is, or is an optional of, as far as its name tells.
    static func container(_ written: TypeSyntax) -> Container? {
      let type = plain(written)
      if type.is(ArrayTypeSyntax.self) { return .list }
      if type.is(DictionaryTypeSyntax.self) { return .dictionary }
      switch name(type, in: "Swift") {
      case "Set", "Array": return .list
      case "Dictionary": return .dictionary
      case "Optional": return held(by: type).flatMap(container)
      default: return type.as(OptionalTypeSyntax.self).flatMap { container($0.wrappedType) }
      }
    }

    /// The first `any` of a type, or of what it is a container or an optional of.
    static func existential(in written: TypeSyntax) -> SomeOrAnyTypeSyntax? {
      let type = plain(written)
      guard let found = type.as(SomeOrAnyTypeSyntax.self) else {
        return held(by: type).flatMap(existential)
      }
      return found.someOrAnySpecifier.tokenKind == .keyword(.any) ? found : nil
    }

    /// What an optional or a container has one or several of.
    private static func held(by type: TypeSyntax) -> TypeSyntax? {
      if let optional = type.as(OptionalTypeSyntax.self) { return optional.wrappedType }
      if let optional = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
        return optional.wrappedType
      }
      if let list = type.as(ArrayTypeSyntax.self) { return list.element }
      if let dictionary = type.as(DictionaryTypeSyntax.self) { return dictionary.value }
      guard ["Optional", "Array", "Set", "Dictionary"].contains(name(type, in: "Swift") ?? ""),
        case .type(let last)? = arguments(type)?.last?.argument
      else { return nil }
      return last
    }

    /// The name of a type or an attribute without that of its module, if it is of `module`.
    static func name(_ type: TypeSyntax, in module: String) -> String? {
      if let plain = type.as(IdentifierTypeSyntax.self) { return plain.name.text }
      guard let qualified = type.as(MemberTypeSyntax.self),
        qualified.baseType.as(IdentifierTypeSyntax.self)?.name.text == module
      else { return nil }
      return qualified.name.text
    }

    /// The name of a type or an attribute without those that it is inside of.
    static func lastName(_ type: TypeSyntax) -> String? {
      type.as(MemberTypeSyntax.self)?.name.text ?? type.as(IdentifierTypeSyntax.self)?.name.text
    }

    private static func arguments(_ type: TypeSyntax) -> GenericArgumentListSyntax? {
      type.as(IdentifierTypeSyntax.self)?.genericArgumentClause?.arguments
        ?? type.as(MemberTypeSyntax.self)?.genericArgumentClause?.arguments
    }
  }
#endif
