#if Macros
  internal import SwiftDiagnostics
  internal import SwiftSyntax

  /// What is wrong with members that were understood one by one.
  extension ModelCheck {
    mutating func checkMembers() {
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
        if description.members.contains(where: { !$0.formerNames.isEmpty }) {
          report(
            "former names are looked for in models with @PrimaryKey, and not inside of embedded "
              + "ones: take @Renamed away, and rename the member in a history or a migration block",
            at: attribute)
        }
      }
      if description.members.allSatisfy(\.isTransient) {
        report("a model needs at least one stored member", at: attribute)
      }
      checkFormerNames()
    }

    private mutating func checkFormerNames() {
      var known: Set<String> = []
      for member in description.members {
        for former in member.formerNames {
          if let reason = refusal(of: former, for: member) {
            report(
              "'\(member.name)' cannot have been called '\(former)': \(reason)", at: attribute)
          } else if !known.insert(former).inserted {
            report(
              "'\(former)' is a former name twice; each value has one member to go to",
              at: attribute)
          }
        }
      }
    }

    /// Why a former name cannot be that of a member now; nothing when it can, as one that was given
    /// up and is used again.
    private func refusal(
      of former: String, for member: ModelDescription.Member
    ) -> String? {
      guard let other = description.members.first(where: { $0.name == former }),
        other.isKey || former == member.name
      else { return nil }
      return "there is a member of that name"
    }

    /// Visiting a member sets it, to what it was where nothing is read.
    mutating func checkObservers(of binding: PatternBindingSyntax, _ name: String) {
      guard binding.accessorBlock != nil, !Self.isComputed(binding) else { return }
      report(
        "'\(name)' is set whenever an object is read or put, and its observers run then, too; do "
          + "what they do in a method, or mark the member @Transient",
        as: .warning, at: binding.pattern)
    }

    /// Which clause is compiled cannot be told here, and what is stored must not depend on it.
    ///
    /// An init() in each clause is one in every build, whichever it is.
    mutating func check(_ condition: IfConfigDeclSyntax, inside outer: [String] = []) {
      let isInitialised = Self.alwaysHasInitializer(condition)
      if isInitialised { noteInitializer() }
      var conditions = outer
      for clause in condition.clauses {
        let own = clause.condition.map { "(\($0.trimmedDescription))" }
        let compiled = conditions + (own.map { [$0] } ?? [])
        if let own { conditions.append("!\(own)") }
        guard case .decls(let members)? = clause.elements else { continue }
        for member in members {
          if let variable = member.decl.as(VariableDeclSyntax.self) {
            check(variableInCondition: variable)
          } else if !isInitialised, let initializer = Self.plainInitializer(member.decl) {
            report(
              "an init() inside #if is there in some builds only; declare it for all, or in every "
                + "clause and in an #else",
              at: initializer)
          } else if let inner = member.decl.as(IfConfigDeclSyntax.self) {
            check(inner, inside: compiled)
          } else if let initializer = member.decl.as(InitializerDeclSyntax.self),
            Self.plainInitializer(member.decl) == nil
          {
            note(initializer, if: compiled.joined(separator: " && "))
          }
        }
      }
    }

    private mutating func check(variableInCondition variable: VariableDeclSyntax) {
      guard Self.isStored(variable) else {
        // A tuple of values that are not stored is the author's own.
        let isTuple = variable.bindings.allSatisfy { binding in
          binding.pattern.is(TuplePatternSyntax.self) && binding.initializer != nil
        }
        if !isTuple { add(variable) }
        return
      }
      report(
        "a member inside #if would be stored by some builds only; declare it for all, or mark it "
          + "@Transient", at: variable)
    }

    /// Whether each clause has an init(), and one of them is always compiled.
    private static func alwaysHasInitializer(_ condition: IfConfigDeclSyntax) -> Bool {
      guard condition.clauses.last?.poundKeyword.tokenKind == .poundElse else { return false }
      return condition.clauses.allSatisfy { clause in
        guard case .decls(let members)? = clause.elements else { return false }
        return members.contains { member in
          plainInitializer(member.decl) != nil
            || member.decl.as(IfConfigDeclSyntax.self).map(alwaysHasInitializer) == true
        }
      }
    }

    /// A declaration that is an initialiser without parameters.
    private static func plainInitializer(_ declaration: DeclSyntax) -> InitializerDeclSyntax? {
      guard let initializer = declaration.as(InitializerDeclSyntax.self),
        initializer.signature.parameterClause.parameters.isEmpty
      else { return nil }
      return initializer
    }

    private static func isStored(_ variable: VariableDeclSyntax) -> Bool {
      let isTransient = variable.attributes.contains { element in
        guard case .attribute(let attribute) = element else { return false }
        return name(attribute.attributeName, in: "ObjectStore") == "Transient"
      }
      return !isTransient && !isOfType(variable.modifiers)
        && variable.bindings.contains { !isComputed($0) }
    }

    /// Whether a member belongs to the type, and not to its objects.
    static func isOfType(_ modifiers: DeclModifierListSyntax) -> Bool {
      modifiers.contains { ["static", "class"].contains($0.name.text) }
    }

    /// Observers keep a member stored; a getter or a bare body does not.
    static func isComputed(_ binding: PatternBindingSyntax) -> Bool {
      guard let block = binding.accessorBlock else { return false }
      switch block.accessors {
      case .getter: return true
      case .accessors(let accessors):
        return !accessors.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
      }
    }
  }
#endif
