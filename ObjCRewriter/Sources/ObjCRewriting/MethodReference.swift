import SwiftSyntax

/// What stands in the parentheses of `#selector`.
struct MethodReference {
    /// The type whose method it is: `Self`, another one's name, or `type(of: object)`.
    var base: String
    /// The method's name, with labels if it has some.
    var name: DeclReferenceExprSyntax
    /// The type after `as`, if it is that of a method without its object.
    var methodType: TypeSyntax?

    /// - Parameters:
    ///   - expression: The argument of `#selector`.
    ///   - type: The type around it, of which a method is that has no other type before it.
    init?(_ expression: ExprSyntax, in type: EnclosingType?) {
        var reference = expression
        if let sequence = expression.as(SequenceExprSyntax.self), sequence.elements.count == 3,
            let type = sequence.elements.last?.as(TypeExprSyntax.self)?.type, let first = sequence.elements.first
        {
            reference = first
            // The type of `T.tick` has the object as a parameter, that of `tick` has not.
            if type.function?.returnClause.type.function == nil { methodType = type }
        }
        if let name = reference.as(DeclReferenceExprSyntax.self), let type {
            self.name = name
            base = type.reference
        } else if let member = reference.as(MemberAccessExprSyntax.self), let object = member.base {
            name = member.declName
            guard let base = Self.type(of: object, in: type) else { return nil }
            self.base = base
        } else {
            return nil
        }
    }

    /// The type of an object, or the type itself if it is one, as names of types begin with a capital letter.
    private static func type(of object: ExprSyntax, in type: EnclosingType?) -> String? {
        let text = object.trimmedDescription
        if text == "self" { return type?.reference }
        let isType = object.firstToken(viewMode: .sourceAccurate)?.text.first?.isUppercase == true
        return isType ? text : "type(of: \(text))"
    }
}

extension TypeSyntax {
    /// The function type, if it is one, within parentheses too.
    fileprivate var function: FunctionTypeSyntax? {
        if let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1 {
            return tuple.elements.first?.type.function
        }
        return self.as(FunctionTypeSyntax.self)
    }
}
