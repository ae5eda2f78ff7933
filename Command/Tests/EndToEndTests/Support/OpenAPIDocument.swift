import Foundation
import Yams

/// Implements the part of OpenAPI 3.1 and JSON Schema that `docs/openapi.yaml` uses.
struct OpenAPIDocument {
    private let root: [String: Any]

    /// Reads the document; `path` is relative to the root of the project.
    init(path: String) throws {
        root = try Yams.load(yaml: Repository.text(path)) as? [String: Any] ?? [:]
    }

    /// `METHOD /path` of each operation.
    var operations: Set<String> {
        var operations: Set<String> = []
        for (path, item) in root["paths"] as? [String: [String: Any]] ?? [:] {
            for method in ["get", "post", "delete", "put", "patch"] where item[method] != nil {
                operations.insert("\(method.uppercased()) \(path)")
            }
        }
        return operations
    }

    func problems(inAnswer text: String, to operation: String, status: Int) throws -> [String] {
        let parts = operation.split(separator: " ")
        let item = (root["paths"] as? [String: [String: Any]])?[String(parts[1])]
        let method = item?[parts[0].lowercased()] as? [String: Any]
        guard var response = (method?["responses"] as? [String: [String: Any]])?[String(status)] else {
            return ["status \(status) is not documented"]
        }
        if let reference = response["$ref"] as? String { response = resolve(reference) }
        guard let content = response["content"] as? [String: [String: Any]] else {
            return text.isEmpty ? [] : ["a body is not documented"]
        }
        guard let schema = content["application/json"]?["schema"] as? [String: Any] else { return [] }
        return check(
            try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed), schema, at: "$")
    }

    func problems(in text: String, schema: String) throws -> [String] {
        check(
            try JSONSerialization.jsonObject(with: Data(text.utf8)), resolve("#/components/schemas/\(schema)"), at: "$")
    }

    private func resolve(_ reference: String) -> [String: Any] {
        reference.split(separator: "/").dropFirst().reduce(root) { $0[String($1)] as? [String: Any] ?? [:] }
    }

    private func check(_ value: Any, _ schema: [String: Any], at path: String) -> [String] {
        if let reference = schema["$ref"] as? String { return check(value, resolve(reference), at: path) }
        if let choices = schema["oneOf"] as? [[String: Any]] {
            let fitting = choices.filter { check(value, $0, at: path).isEmpty }
            return fitting.count == 1 ? [] : ["\(path) fits \(fitting.count) of its forms"]
        }
        var problems: [String] = []
        let types = (schema["type"] as? [String]) ?? (schema["type"] as? String).map { [$0] } ?? []
        if !types.contains(where: { Self.isOfType(value, $0) }) {
            return ["\(path) is not \(types.joined(separator: " or "))"]
        }
        if let text = value as? String {
            if let choices = schema["enum"] as? [String], !choices.contains(text) {
                problems.append("\(path): \"\(text)\" is not documented")
            }
            if let pattern = schema["pattern"] as? String, text.range(of: pattern, options: .regularExpression) == nil {
                problems.append("\(path): \"\(text)\" does not match \(pattern)")
            }
        }
        if let number = value as? NSNumber, let minimum = schema["minimum"] as? Int, number.intValue < minimum {
            problems.append("\(path) is less than \(minimum)")
        }
        if let array = value as? [Any], let items = schema["items"] as? [String: Any] {
            for (index, item) in array.enumerated() { problems += check(item, items, at: "\(path)[\(index)]") }
        }
        if let object = value as? [String: Any] {
            let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
            for key in schema["required"] as? [String] ?? [] where object[key] == nil {
                problems.append("\(path).\(key) is missing")
            }
            for (key, item) in object {
                if let property = properties[key] {
                    problems += check(item, property, at: "\(path).\(key)")
                } else if let others = schema["additionalProperties"] as? [String: Any] {
                    problems += check(item, others, at: "\(path).\(key)")
                } else if schema["additionalProperties"] as? Bool == false {
                    problems.append("\(path).\(key) is not documented")
                }
            }
        }
        return problems
    }

    private static func isOfType(_ value: Any, _ type: String) -> Bool {
        switch type {
        case "null": return value is NSNull
        case "string": return value is String
        case "number": return value is NSNumber
        case "boolean": return value is Bool
        case "integer": return (value as? NSNumber).map { Double($0.int64Value) == $0.doubleValue } ?? (value is Int)
        case "array": return value is [Any]
        case "object": return value is [String: Any]
        default: return false
        }
    }
}
