#if Macros
  internal import SwiftDiagnostics
  public import SwiftSyntax
  internal import SwiftSyntaxBuilder
  public import SwiftSyntaxMacros

  /// Writes what `@Model` stands for: the visitor of a type's members, and what is known of them.
  public struct ModelMacro: ExtensionMacro {
    /// The conformance, and everything that follows from the members; reports what is wrong.
    public static func expansion(
      of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
      providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
      in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
      var check = ModelCheck(declaration, attribute: node, inside: context.lexicalContext)
      let model = check.model()
      for diagnostic in check.diagnostics { context.diagnose(diagnostic) }
      guard let model else { return [] }
      let text = model.extensionText(
        of: type.trimmedDescription,
        missing: Set(protocols.compactMap { ModelCheck.name($0, in: "ObjectStore") }))
      let availability = availability(of: declaration, inside: context.lexicalContext)
      return [try ExtensionDeclSyntax("\(raw: availability + text)")]
    }

    /// What the declaration and those around it say of their availability: an extension must not be
    /// seen where its type is not.
    private static func availability(
      of declaration: some DeclGroupSyntax, inside context: [Syntax]
    ) -> String {
      let around = context.compactMap { $0.asProtocol((any WithAttributesSyntax).self)?.attributes }
      return ([declaration.attributes] + around).flatMap { $0 }
        .compactMap { $0.as(AttributeSyntax.self) }
        .filter { $0.attributeName.trimmedDescription == "available" }
        .map { "\($0.trimmedDescription)\n" }.joined()
    }
  }

  /// A class can have an initialiser without parameters in its body only, and so can a public
  /// struct for which the compiler would write an internal one.
  extension ModelMacro: MemberMacro {
    /// That initialiser, for those which have none.
    public static func expansion(
      of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
      conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
      // What is wrong is told by the other role, once.
      var check = ModelCheck(declaration, attribute: node, inside: context.lexicalContext)
      guard let model = check.model(), model.initializesInBody, let text = model.initializerText
      else { return [] }
      return ["\(raw: text)"]
    }
  }
#endif
