import SwiftSyntax

/// Collects the replacements for a file.
final class Rewriter: SyntaxVisitor {
    /// The attributes that have a meaning only for Objective-C's runtime and Xcode's editors.
    private static let dropped: Set = [
        "objc", "objcMembers", "nonobjc", "IBOutlet", "IBAction", "IBInspectable", "IBDesignable", "IBSegueAction",
    ]

    /// The beginning of the call that replaces `#selector`.
    private static let function = "_Sel("

    private(set) var edits = Edits()
    /// The methods of selectors, with the places of the selectors in the source.
    private var selectors: [(place: AbsolutePosition, name: String)] = []

    private let places: SourceLocationConverter
    private var types: [EnclosingType] = []

    init(_ places: SourceLocationConverter) {
        self.places = places
        super.init(viewMode: .sourceAccurate)
    }

    // MARK: Attributes and modifiers

    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind {
        let name = node.attributeName.trimmedDescription
        if Self.dropped.contains(name) {
            edits.replace(node.range, by: blank(node))
        } else if name == "UIApplicationMain" {
            edits.replace(node.range, by: "@main")
        }
        return .skipChildren
    }

    override func visit(_ node: DeclModifierSyntax) -> SyntaxVisitorContinueKind {
        if node.name.tokenKind == .keyword(.dynamic) { edits.replace(node.range, by: "") }
        return .skipChildren
    }

    /// Returns the line ends of a node, and spaces in place of everything else.
    private func blank(_ node: some SyntaxProtocol) -> String {
        node.trimmedDescription.utf8.map { $0 == UInt8(ascii: "\n") ? "\n" : " " }.joined()
    }

    // MARK: Previews

    /// Blanks a preview, because its macro needs a plugin of Xcode's.
    private func blankPreview(_ node: some FreestandingMacroExpansionSyntax) -> SyntaxVisitorContinueKind {
        guard node.macroName.text == "Preview" else { return .visitChildren }
        edits.replace(node.range, by: blank(node))
        return .skipChildren
    }

    override func visit(_ node: MacroExpansionDeclSyntax) -> SyntaxVisitorContinueKind { blankPreview(node) }

    // MARK: Types

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.text) }
    override func visitPost(_ node: ClassDeclSyntax) { types.removeLast() }
    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.text) }
    override func visitPost(_ node: ActorDeclSyntax) { types.removeLast() }
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.text) }
    override func visitPost(_ node: StructDeclSyntax) { types.removeLast() }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.text) }
    override func visitPost(_ node: EnumDeclSyntax) { types.removeLast() }
    override func visitPost(_ node: ProtocolDeclSyntax) { types.removeLast() }
    override func visitPost(_ node: ExtensionDeclSyntax) { types.removeLast() }

    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node.extendedType.trimmedDescription)
    }

    /// Restricts a protocol with `@objc` to classes, as the attribute does.
    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
        if node.attributes.contains(where: { $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription == "objc" })
        {
            if let inherited = node.inheritanceClause {
                edits.insert(", AnyObject", at: inherited.endPositionBeforeTrailingTrivia)
            } else {
                edits.insert(": AnyObject", at: node.name.endPositionBeforeTrailingTrivia)
            }
        }
        return enter(node.name.text)
    }

    private func enter(_ name: String) -> SyntaxVisitorContinueKind {
        types.append(EnclosingType(name: name))
        return .visitChildren
    }

    // MARK: Properties

    // The initial value of a stored property cannot use `Self`, unless the property is lazy.
    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        let isMember = node.parent?.is(MemberBlockItemSyntax.self) == true
        let isLazy = node.modifiers.contains { $0.name.tokenKind == .keyword(.lazy) }
        if isMember, !isLazy { types[types.count - 1].isInInitialValue = true }
        return .visitChildren
    }

    override func visitPost(_ node: VariableDeclSyntax) {
        if node.parent?.is(MemberBlockItemSyntax.self) == true { types[types.count - 1].isInInitialValue = false }
    }

    override func visit(_ node: AccessorBlockSyntax) -> SyntaxVisitorContinueKind {
        if !types.isEmpty { types[types.count - 1].isInInitialValue = false }
        return .visitChildren
    }

    // MARK: Selectors and key paths

    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
        if node.macroName.text == "Preview" { return blankPreview(node) }
        guard let argument = node.arguments.first, node.arguments.count == 1 else { return .visitChildren }
        switch (node.macroName.text, argument.label?.text) {
        case ("selector", nil): rewriteMethod(argument.expression, of: node)
        case ("selector", "getter"): rewriteGetter(argument.expression, of: node)
        case ("keyPath", nil): rewriteKeyPath(argument.expression, of: node)
        default: return .visitChildren
        }
        return .skipChildren
    }

    private func rewriteMethod(_ expression: ExprSyntax, of node: MacroExpansionExprSyntax) {
        guard let method = MethodReference(expression, in: types.last) else { return }
        rewrite(node, base: method.base + ".", name: method.name)
        if let type = method.methodType { edits.insert("(\(method.base)) -> ", at: type.range.lowerBound) }
    }

    private func rewriteGetter(_ expression: ExprSyntax, of node: MacroExpansionExprSyntax) {
        guard let property = MethodReference(expression, in: types.last?.withoutSelf), property.methodType == nil
        else { return }
        rewrite(node, base: "\\\(property.base).", name: property.name)
    }

    /// Replaces the text before a method's name by the beginning of a call.
    ///
    /// The name stays on its line, and in its column if there is enough space.
    private func rewrite(_ node: MacroExpansionExprSyntax, base: String, name: DeclReferenceExprSyntax) {
        let range = node.range.lowerBound..<name.range.lowerBound
        let length = range.upperBound.utf8Offset - range.lowerBound.utf8Offset
        let before = blank(node).prefix(length).dropFirst(Self.function.count)
        let lines = before.lastIndex(of: "\n").map { before[...$0] } ?? ""
        let spaces = before.dropFirst(lines.count).dropLast(base.utf8.count)
        edits.replace(range, by: Self.function + lines + spaces + base)
        selectors.append((node.range.lowerBound, name.trimmedDescription))
    }

    /// The names of the selectors' methods.
    ///
    /// Each key is the line and column of the call's parenthesis in the rewritten text.
    var names: [String: String] {
        let pairs = selectors.map { selector in
            let location = places.location(for: selector.place)
            let offset = selector.place.utf8Offset
            let column = location.column + edits.shift(of: offset, onLineFrom: offset - location.column + 1)
            return ("\(location.line):\(column + Self.function.utf8.count - 1)", selector.name)
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// Replaces a key path by its text, as the compiler does, but without a check that the properties exist.
    private func rewriteKeyPath(_ expression: ExprSyntax, of node: MacroExpansionExprSyntax) {
        let names = expression.trimmedDescription.split(separator: ".")
        let properties = names.drop { $0.first?.isUppercase == true || $0 == "self" }
        let lineEnds = blank(node).filter { $0 == "\n" }
        edits.replace(node.range, by: literal(properties.joined(separator: ".")) + lineEnds)
    }
}

/// A type that contains a place in the source.
struct EnclosingType {
    var name: String
    /// Whether the place is in the initial value of a stored property.
    var isInInitialValue = false

    /// The name by which code at that place can refer to the type.
    ///
    /// A key path with `Self` would compile, and trap when it is used.
    var reference: String { isInInitialValue ? name : "Self" }

    var withoutSelf: EnclosingType { EnclosingType(name: name, isInInitialValue: true) }
}
