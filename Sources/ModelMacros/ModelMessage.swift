#if Macros
  internal import SwiftDiagnostics
  internal import SwiftSyntax

  /// One sentence of the macro for the person who writes a model.
  struct ModelMessage: DiagnosticMessage {
    let message: String
    let severity: DiagnosticSeverity
    var diagnosticID: MessageID { MessageID(domain: "ObjectStore.Model", id: message) }

    init(_ message: String, severity: DiagnosticSeverity = .error) {
      self.message = message
      self.severity = severity
    }
  }

  /// An edit that the compiler offers, with its name.
  struct FixItText: FixItMessage {
    let message: String
    private let old: Syntax
    private let new: Syntax

    init(_ message: String, replace old: Syntax, with new: Syntax) {
      self.message = message
      self.old = old
      self.new = new
    }

    var fixItID: MessageID { MessageID(domain: "ObjectStore.Model", id: message) }
    var fixIt: FixIt { FixIt(message: self, changes: [.replace(oldNode: old, newNode: new)]) }
  }
#endif
