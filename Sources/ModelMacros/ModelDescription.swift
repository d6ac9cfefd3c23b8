#if Macros
  /// What was found in the declaration of a model, and the code that follows from it.
  struct ModelDescription {
    /// One stored member.
    struct Member {
      var name: String
      var hasInitialValue = false
      var isKey = false
      var isIndexed = false
      var isUnique = false
      var isTransient = false
      /// The newest first.
      var formerNames: [String] = []
    }

    var isClass = false
    /// `public `, `package ` or nothing.
    var access = ""
    /// What the declaration says that the type is.
    var inheritedTypes: Set<String> = []
    var members: [Member] = []
    /// Whether the declaration has an initialiser without parameters of its own.
    var hasInitializer = false
    /// Whether it has any other.
    var hasOtherInitializer = false
    /// In which builds it has one of those besides.
    var initializerConditions: [String] = []

    var key: Member? { members.first(where: \.isKey) }
    private var stored: [Member] { members.filter { !$0.isTransient } }

    /// Whether the compiler writes an initialiser without parameters, as it does when every member
    /// has a value and there is no other; it is internal.
    private var hasInternalInitializer: Bool {
      !hasInitializer && !hasOtherInitializer && members.allSatisfy(\.hasInitialValue)
    }

    /// Whether the initialiser stands in the body: that of a class has to, and a public one must
    /// take the place of the internal one that would be there.
    var initializesInBody: Bool { isClass || hasInternalInitializer && !isConditional }

    /// Whether only some builds have the compiler's: in the body one for all would take from those
    /// the initialiser with all members.
    private var isConditional: Bool {
      hasInternalInitializer && access.isEmpty && !isClass && !initializerConditions.isEmpty
    }

    /// An initialiser without parameters; nothing when there is one already.
    ///
    /// Swift prefers an initialiser without parameters to one whose parameters all have defaults,
    /// which the author wrote to be called: hence the attribute. The store calls the one without.
    var initializerText: String? {
      let isWritten = hasInternalInitializer && access.isEmpty && initializerConditions.isEmpty
      if hasInitializer || isWritten { return nil }
      let unset = members.filter { !$0.hasInitialValue }
      let lines = unset.map { "    self.\(quoted($0.name)) = ObjectStore.Placeholder.value()\n" }
      let text = "@_disfavoredOverload \(access)init() {\n\(lines.joined())  }"
      guard isConditional else { return text }
      let conditions = initializerConditions.map { "(\($0))" }.joined(separator: " || ")
      return "#if \(conditions)\n  \(text)\n  #endif"
    }

    /// `missing` are the protocols to which nothing makes the type conform.
    func extensionText(of type: String, missing: Set<String>) -> String {
      var parts: [String] = []
      if let key {
        parts.append("\(access)static var primaryKey: String { \"\(key.name)\" }")
        parts += indexesText.map { [$0] } ?? []
        parts += formerNamesText.map { [$0] } ?? []
      }
      if !initializesInBody, let initializerText { parts.append(initializerText) }
      parts.append(visitorText)
      let conformance = key == nil ? "EmbeddedObject" : "StorableObject"
      // Said twice it would be an error, where no one looks for it.
      let isSaid = inheritedTypes.contains(conformance) || !missing.contains(conformance)
      return "extension \(type)\(isSaid ? "" : ": ObjectStore.\(conformance)") {\n"
        + parts.map { "  \($0)\n" }.joined(separator: "\n") + "}"
    }

    private var indexesText: String? {
      let indexes = members.compactMap { member in
        if member.isUnique { return ".unique(\"\(member.name)\")" }
        return member.isIndexed ? ".init(\"\(member.name)\")" : nil
      }
      guard !indexes.isEmpty else { return nil }
      return "\(access)static var indexes: [ObjectStore.IndexDeclaration] { "
        + "[\(indexes.joined(separator: ", "))] }"
    }

    private var formerNamesText: String? {
      let names = members.compactMap { member in
        let former = member.formerNames.map { "\"\($0)\"" }.joined(separator: ", ")
        return former.isEmpty ? nil : "\"\(member.name)\": [\(former)]"
      }
      guard !names.isEmpty else { return nil }
      return "\(access)static var formerNames: [String: [String]] { "
        + "[\(names.joined(separator: ", "))] }"
    }

    private var visitorText: String {
      let lines = stored.map {
        "    try visitor.member(\"\($0.name)\", &self.\(quoted($0.name)))\n"
      }
      return "\(access)\(isClass ? "" : "mutating ")func visitMembers<"
        + "ModelVisitor: ObjectStore.MemberVisitor>(\n    _ visitor: inout ModelVisitor\n  ) "
        + "throws(ObjectStore.StoreError) {\n\(lines.joined())  }"
    }

    /// A name that is a keyword needs its quotes; they harm no other.
    private func quoted(_ name: String) -> String { "`\(name)`" }
  }
#endif
