import SwiftSyntax

/// The method that the argument of `#selector` names.
struct MethodReference {
    /// The type that has the method: `Self`, the name of a type, or `type(of: object)`.
    var base: String
    /// The method's name, with its labels if the argument has them.
    var name: DeclReferenceExprSyntax
    /// The type after `as`; `nil` if there is none, or if the type has the object as a parameter.
    var methodType: TypeSyntax?

    /// Creates the reference; `nil` if the argument is not the name of a method.
    ///
    /// - Parameters:
    ///   - expression: The argument of `#selector`.
    ///   - type: The type that contains the argument. It has the method if the argument names no other type.
    init?(_ expression: ExprSyntax, in type: EnclosingType?) {
        var reference = expression
        if let sequence = expression.as(SequenceExprSyntax.self), sequence.elements.count == 3,
            let type = sequence.elements.last?.as(TypeExprSyntax.self)?.type, let first = sequence.elements.first
        {
            reference = first
            // The type of `T.tick` has the object as a parameter; the type of `tick` does not.
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

    /// Returns the type of an object.
    ///
    /// A name that begins with a capital letter is that of a type, and is returned as it is.
    private static func type(of object: ExprSyntax, in type: EnclosingType?) -> String? {
        let text = object.trimmedDescription
        if text == "self" { return type?.reference }
        let isType = object.firstToken(viewMode: .sourceAccurate)?.text.first?.isUppercase == true
        return isType ? text : "type(of: \(text))"
    }
}

extension TypeSyntax {
    /// The function type, also if it is in parentheses; `nil` for other types.
    fileprivate var function: FunctionTypeSyntax? {
        if let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1 {
            return tuple.elements.first?.type.function
        }
        return self.as(FunctionTypeSyntax.self)
    }
}
