import SwiftParser
import SwiftSyntax

/// Rewrites Swift sources that need Objective-C's runtime so that they compile on Linux.
///
/// Spaces replace attributes, and a call of the same length replaces `#selector(tick)`, so the rest of the line stays
/// in its column. `#sourceLocation` names the original file, so the compiler's messages point into it.
public enum ObjCRewriting {
    /// Rewrites the text of a file.
    ///
    /// - Parameters:
    ///   - source: The file's text.
    ///   - original: The path that the compiler's messages name; with `nil` they name the rewritten file.
    /// - Returns: The text that compiles on Linux.
    public static func rewritten(_ source: String, original: String? = nil) -> String {
        let tree = Parser.parse(source: source)
        let rewriter = Rewriter(SourceLocationConverter(fileName: original ?? "", tree: tree))
        rewriter.walk(tree)
        var text = rewriter.edits.applied(to: source)
        if let original { text = "#sourceLocation(file: \(literal(original)), line: 1)\n" + text }
        if !rewriter.names.isEmpty { text += footer(rewriter.names) }
        return text
    }

    /// Returns the declarations that create the selectors of the file.
    private static func footer(_ names: [String: String]) -> String {
        let entries = names.sorted { $0.key < $1.key }.map { "\(literal($0.key)): \(literal($0.value))" }
        return """

            import SimulatedAppleCore
            nonisolated private var _Sel: SelectorNames { SelectorNames([\(entries.joined(separator: ", "))]) }

            """
    }
}

/// Returns the literal of Swift for a text.
func literal(_ text: String) -> String {
    let escaped = text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
    return "\"\(String(escaped))\""
}
