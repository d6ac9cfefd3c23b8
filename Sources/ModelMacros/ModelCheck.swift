#if Macros
  internal import SwiftDiagnostics
  internal import SwiftSyntax

  /// Reads the declaration of a model and finds everything that is wrong with it.
  struct ModelCheck {
    private(set) var diagnostics: [Diagnostic] = []
    private let declaration: any DeclGroupSyntax
    /// What the declaration stands in, the innermost first.
    private let surroundings: [Syntax]
    let attribute: AttributeSyntax
    private(set) var description = ModelDescription()

    init(
      _ declaration: any DeclGroupSyntax, attribute: AttributeSyntax, inside surroundings: [Syntax]
    ) {
      self.surroundings = surroundings
      self.declaration = declaration
      self.attribute = attribute
    }

    /// What the declaration says; nothing when something is wrong with it.
    mutating func model() -> ModelDescription? {
      guard checkKind() else { return nil }
      description.access = access
      description.inheritedTypes = Set(
        (declaration.inheritanceClause?.inheritedTypes ?? []).compactMap {
          Self.name($0.type, in: "ObjectStore")
        })
      for member in declaration.memberBlock.members {
        if let variable = member.decl.as(VariableDeclSyntax.self) {
          add(variable)
        } else if let initializer = member.decl.as(InitializerDeclSyntax.self) {
          add(initializer)
        } else if let condition = member.decl.as(IfConfigDeclSyntax.self) {
          check(condition)
        }
      }
      checkDelegations()
      // A member that was refused is missing here, so this would tell of more than is wrong.
      if !isWrong { checkMembers() }
      return isWrong ? nil : description
    }

    /// Those with parameters.
    private var initializers: [DelegatingInitializer] = []
    private var isWrong: Bool { diagnostics.contains { $0.diagMessage.severity == .error } }

    /// That the declaration has an init() of its own.
    mutating func noteInitializer() { description.hasInitializer = true }

    private mutating func add(_ initializer: InitializerDeclSyntax) {
      if initializer.signature.parameterClause.parameters.isEmpty {
        noteInitializer()
      } else {
        description.hasOtherInitializer = true
        keep(initializer)
      }
    }

    /// Notes an initialiser with parameters of builds of which `condition` tells.
    mutating func note(_ initializer: InitializerDeclSyntax, if condition: String) {
      description.initializerConditions.append(condition)
      keep(initializer)
    }

    private mutating func keep(_ initializer: InitializerDeclSyntax) {
      let name = declaration.asProtocol((any NamedDeclSyntax).self)?.name.text ?? ""
      initializers.append(DelegatingInitializer(initializer, of: name))
    }

    /// The macro's `init()` is not what they call: an initialiser of the author is preferred, which
    /// may have called them.
    private mutating func checkDelegations() {
      if description.hasInitializer { return }
      var reached = initializers.indices.filter { initializers[$0].needsNothing }
      var position = 0
      while position < reached.count {
        for call in initializers[reached[position]].calls {
          guard let next = initializer(calledBy: call), !reached.contains(next) else { continue }
          reached.append(next)
        }
        position += 1
      }
      for initializer in reached.map({ initializers[$0] }) {
        let reason =
          initializer.needsNothing
          ? "as it can be called without arguments"
          : "as one that can be called without arguments delegates to it"
        for call in initializer.calls where call.arguments.isEmpty && call.trailingClosure == nil {
          report(
            "this initialiser would call itself without end, \(reason); set the members here",
            at: call)
        }
      }
    }

    /// The place of the only initialiser that a call may be of; where several may be, types tell
    /// which, and these are not known here. One without parameters left out goes before others.
    private func initializer(calledBy call: FunctionCallExprSyntax) -> Int? {
      let counts = initializers.map { $0.leftOutCount(by: call) }
      let accepting = counts.indices.filter { counts[$0] != nil }
      let exact = accepting.filter { counts[$0] == 0 }
      let found = exact.isEmpty ? accepting : exact
      return found.count == 1 ? found.first : nil
    }

    private mutating func checkKind() -> Bool {
      let isPrivate = { (modifier: DeclModifierSyntax) in
        modifier.name.text == "private" && modifier.detail == nil
      }
      if !surroundings.isEmpty, let modifier = declaration.modifiers.first(where: isPrivate) {
        report(
          "a model inside of another type must be fileprivate at least, as an extension of it is "
            + "written", at: modifier)
        return false
      }
      // The outermost is seen in its file, whatever it says.
      let around = surroundings.dropLast().compactMap { $0.asProtocol((any DeclGroupSyntax).self) }
      if around.contains(where: { $0.modifiers.contains(where: isPrivate) }) {
        report(
          "a type around a model must be fileprivate at least where it is inside of another, as an "
            + "extension of the model is written", at: attribute)
        return false
      }
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

    /// What the declaration says, else the extension that it stands in.
    private var access: String {
      let outer = surroundings.first?.as(ExtensionDeclSyntax.self)?.modifiers
      let found = Self.access(declaration.modifiers) ?? outer.flatMap(Self.access)
      return found == "public" || found == "package" ? "\(found ?? "") " : ""
    }

    private static func access(_ modifiers: DeclModifierListSyntax) -> String? {
      let levels = ["public", "package", "internal", "fileprivate", "private"]
      return modifiers.map(\.name.text).first(where: levels.contains)
    }

    // MARK: Members

    /// Notes what `variable` declares, and reports what is wrong with it.
    mutating func add(_ variable: VariableDeclSyntax) {
      guard !Self.isOfType(variable.modifiers) else { return }
      let isLazy = variable.modifiers.contains { $0.name.text == "lazy" }
      // As an array: what `filter` makes of the list has no place in the file that could be told.
      let stored = Array(variable.bindings).filter { !Self.isComputed($0) }
      guard !stored.isEmpty else { return }
      var template = ModelDescription.Member(name: "")
      apply(variable.attributes, to: &template)
      if isLazy, !template.isTransient {
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
      for binding in stored { add(binding, in: variable, as: template) }
    }

    private mutating func add(
      _ binding: PatternBindingSyntax, in variable: VariableDeclSyntax,
      as template: ModelDescription.Member
    ) {
      guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
        report("declare the members of a model one by one, not as a tuple", at: binding)
        return
      }
      var member = template
      member.name = pattern.identifier.text.filter { $0 != "`" }
      let type = Self.type(of: binding, in: variable)
      member.hasInitialValue = Self.isInitialized(binding, of: type, in: variable)
      if member.isTransient {
        checkTransient(&member, of: binding, Self.wrappers(of: variable))
      } else {
        checkObservers(of: binding, member.name)
        checkStored(member, of: type, Self.wrappers(of: variable))
      }
      switch type.flatMap(Self.container) {
      case .dictionary? where member.isIndexed || member.isUnique:
        report(
          "'\(member.name)' cannot be looked up by value: an index needs a number, a text, bytes, "
            + "a date, a bool or a UUID, or a list or set of these", at: binding)
      case .list? where member.isUnique:
        report(
          "'\(member.name)' cannot be unique, as no list or set is; @Indexed finds objects by the "
            + "elements", at: binding)
      default: break
      }
      description.members.append(member)
    }

    static let markers = ["PrimaryKey", "Indexed", "Unique", "Transient", "Renamed"]

    private mutating func apply(
      _ attributes: AttributeListSyntax, to member: inout ModelDescription.Member
    ) {
      for attribute in attributes {
        guard case .attribute(let attribute) = attribute else {
          // Others say nothing of what is stored.
          if Self.holdsMarker(attribute) {
            report(
              "an attribute inside #if would be there in some builds only; declare it for all",
              at: attribute)
          }
          continue
        }
        switch Self.name(attribute.attributeName, in: "ObjectStore") {
        case "PrimaryKey":
          if description.key != nil { report("a model has one @PrimaryKey", at: attribute) }
          member.isKey = true
        case "Indexed": member.isIndexed = true
        case "Unique": member.isUnique = true
        case "Transient": member.isTransient = true
        case "Renamed": member.formerNames += formerName(attribute).map { [$0] } ?? []
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
      } else if member.isTransient, !member.formerNames.isEmpty {
        report(
          "a transient member is not stored, so no value of a former name could go to it",
          at: attributes)
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

    mutating func report(
      _ message: String, as severity: DiagnosticSeverity = .error, at place: some SyntaxProtocol,
      fix: FixItText? = nil
    ) {
      diagnostics.append(
        Diagnostic(
          node: place, message: ModelMessage(message, severity: severity),
          fixIts: fix.map { [$0.fixIt] } ?? []))
    }
  }
#endif
