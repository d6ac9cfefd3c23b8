#if Macros
  internal import SwiftDiagnostics
  internal import SwiftSyntax

  /// Reads the declaration of a model and finds everything that is wrong with it.
  struct ModelCheck {
    private(set) var diagnostics: [Diagnostic] = []
    private let declaration: any DeclGroupSyntax
    private let attribute: AttributeSyntax
    private var description = ModelDescription()

    init(_ declaration: any DeclGroupSyntax, attribute: AttributeSyntax) {
      self.declaration = declaration
      self.attribute = attribute
    }

    /// What the declaration says; nothing when something is wrong with it.
    mutating func model() -> ModelDescription? {
      guard checkKind() else { return nil }
      description.access = Self.access(declaration.modifiers)
      for member in declaration.memberBlock.members {
        if let variable = member.decl.as(VariableDeclSyntax.self) {
          add(variable)
        } else if let initializer = member.decl.as(InitializerDeclSyntax.self),
          initializer.signature.parameterClause.parameters.isEmpty
        {
          description.hasInitializer = true
        }
      }
      // A member that was refused is missing here, so this would tell of more than is wrong.
      if diagnostics.isEmpty { checkMembers() }
      return diagnostics.isEmpty ? description : nil
    }

    private mutating func checkKind() -> Bool {
      if let declaration = declaration.as(ClassDeclSyntax.self) {
        description.isClass = true
        guard declaration.modifiers.contains(where: { $0.name.text == "final" }) else {
          report(
            "a class with @Model must be final", at: declaration.classKeyword,
            fix: FixItText(
              "insert 'final'", replace: Syntax(declaration.classKeyword),
              with: Syntax(
                TokenSyntax(
                  .keyword(.class),
                  leadingTrivia: declaration.classKeyword.leadingTrivia
                    + .unexpectedText("final") + .space,
                  trailingTrivia: declaration.classKeyword.trailingTrivia, presence: .present))))
          return false
        }
        return true
      }
      if declaration.is(StructDeclSyntax.self) { return true }
      report("@Model belongs to a struct or a final class", at: attribute)
      return false
    }

    private static func access(_ modifiers: DeclModifierListSyntax) -> String {
      for modifier in modifiers {
        switch modifier.name.text {
        case "public", "package": return modifier.name.text + " "
        default: continue
        }
      }
      return ""
    }

    // MARK: Members

    private mutating func add(_ variable: VariableDeclSyntax) {
      let modifiers = variable.modifiers.map(\.name.text)
      guard !modifiers.contains("static"), !modifiers.contains("class") else { return }
      let stored = variable.bindings.filter { !Self.isComputed($0) }
      guard !stored.isEmpty else { return }
      var template = ModelDescription.Member(name: "")
      apply(variable.attributes, to: &template)
      if modifiers.contains("lazy"), !template.isTransient {
        report("a lazy member cannot be stored; mark it @Transient", at: variable)
        return
      }
      if variable.bindingSpecifier.text == "let", !template.isTransient {
        var corrected = variable.bindingSpecifier
        corrected.tokenKind = .keyword(.var)
        report(
          "a member of a model is set when an object is read, so it must be a 'var'",
          at: variable.bindingSpecifier,
          fix: FixItText(
            "change 'let' to 'var'", replace: Syntax(variable.bindingSpecifier),
            with: Syntax(corrected)))
        return
      }
      for binding in stored { add(binding, as: template, isLazy: modifiers.contains("lazy")) }
    }

    private mutating func add(
      _ binding: PatternBindingSyntax, as template: ModelDescription.Member, isLazy: Bool
    ) {
      guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
        report("declare the members of a model one by one, not as a tuple", at: binding)
        return
      }
      var member = ModelDescription.Member(
        name: pattern.identifier.text.filter { $0 != "`" })
      member.isKey = template.isKey
      member.isIndexed = template.isIndexed
      member.isUnique = template.isUnique
      member.isTransient = template.isTransient
      member.formerName = template.formerName
      let type = binding.typeAnnotation?.type
      member.hasInitialValue =
        binding.initializer != nil || isLazy || type?.is(OptionalTypeSyntax.self) == true
      if member.isTransient, !member.hasInitialValue {
        report(
          "the transient member '\(member.name)' needs an initial value, as it is not read from "
            + "the store", at: binding)
      }
      if member.isIndexed || member.isUnique, let type, Self.isContainer(type) {
        report(
          "'\(member.name)' cannot be looked up by value: an index needs a number, a text, bytes, "
            + "a date, a bool or a UUID", at: type)
      }
      description.members.append(member)
    }

    private mutating func apply(
      _ attributes: AttributeListSyntax, to member: inout ModelDescription.Member
    ) {
      for case .attribute(let attribute) in attributes {
        switch attribute.attributeName.trimmedDescription {
        case "PrimaryKey":
          if description.key != nil { report("a model has one @PrimaryKey", at: attribute) }
          member.isKey = true
        case "Indexed": member.isIndexed = true
        case "Unique": member.isUnique = true
        case "Transient": member.isTransient = true
        case "Renamed": member.formerName = formerName(attribute)
        default: continue
        }
      }
      if member.isKey, member.isIndexed || member.isUnique || member.isTransient {
        report(
          "the primary key is unique, stored and looked up anyway; take the other attribute away",
          at: attributes)
      } else if member.isIndexed, member.isUnique {
        report("@Unique is an index already; take @Indexed away", at: attributes)
      } else if member.isTransient, member.isIndexed || member.isUnique {
        report("a transient member is not stored, so it cannot be looked up", at: attributes)
      }
    }

    private mutating func formerName(_ attribute: AttributeSyntax) -> String? {
      guard case .argumentList(let arguments) = attribute.arguments,
        let literal = arguments.first?.expression.as(StringLiteralExprSyntax.self),
        literal.segments.count == 1, case .stringSegment(let name) = literal.segments.first
      else {
        report("the former name must be a plain string literal", at: attribute)
        return nil
      }
      return name.content.text
    }

    private mutating func checkMembers() {
      if description.key == nil {
        if description.isClass {
          report(
            "a class is an object of its own, so one member must be marked @PrimaryKey",
            at: attribute)
        }
        if description.members.contains(where: { $0.isIndexed || $0.isUnique }) {
          report(
            "a model without @PrimaryKey is embedded in others and has no index of its own",
            at: attribute)
        }
      }
      if description.members.allSatisfy(\.isTransient) {
        report("a model needs at least one stored member", at: attribute)
      }
      for member in description.members {
        guard let former = member.formerName else { continue }
        if description.members.contains(where: { $0.name == former }) {
          report(
            "'\(member.name)' cannot have been called '\(former)': there is a member of that name",
            at: attribute)
        }
      }
    }

    /// Observers keep a member stored; a getter or a bare body does not.
    private static func isComputed(_ binding: PatternBindingSyntax) -> Bool {
      guard let block = binding.accessorBlock else { return false }
      switch block.accessors {
      case .getter: return true
      case .accessors(let accessors):
        return !accessors.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
      }
    }

    private static func isContainer(_ type: TypeSyntax) -> Bool {
      if let optional = type.as(OptionalTypeSyntax.self) {
        return isContainer(optional.wrappedType)
      }
      if type.is(ArrayTypeSyntax.self) || type.is(DictionaryTypeSyntax.self) { return true }
      return type.as(IdentifierTypeSyntax.self)?.name.text == "Set"
    }

    private mutating func report(
      _ message: String, at place: some SyntaxProtocol, fix: FixItText? = nil
    ) {
      diagnostics.append(
        Diagnostic(
          node: place, message: ModelMessage(message), fixIts: fix.map { [$0.fixIt] } ?? []))
    }
  }
#endif
