import SimulatedAppleCore

/// A value that a parameter can have.
public protocol _IntentValue: Sendable {
    /// The value of a parameter that was never set; `nil` if there is none.
    static var _absent: Self? { get }
    /// Returns the value for the app's process.
    func _encoded() -> Data
    /// Returns the value in the app's process.
    ///
    /// - Throws: An error if there is no such value.
    static func _decoded(from data: Data) async throws -> Self
}

extension _IntentValue {
    public static var _absent: Self? { nil }
}

extension _IntentValue where Self: Codable {
    public func _encoded() -> Data { ServiceJSON.encode(self) }
    public static func _decoded(from data: Data) async throws -> Self { ServiceJSON.decode(Self.self, from: data) }
}

extension String: _IntentValue {}
extension Int: _IntentValue {}
extension Double: _IntentValue {}
extension Bool: _IntentValue {}
extension Date: _IntentValue {}
extension DateComponents: _IntentValue {}
extension Decimal: _IntentValue {}
extension Duration: _IntentValue {}
extension URL: _IntentValue {}
extension UUID: _IntentValue {}
extension Data: _IntentValue {}

extension Optional: _IntentValue where Wrapped: _IntentValue {
    public static var _absent: Self? { .some(nil) }
    public func _encoded() -> Data { ServiceJSON.encode(map { $0._encoded() }) }

    public static func _decoded(from data: Data) async throws -> Self {
        guard let inner = ServiceJSON.decode(Data?.self, from: data) else { return nil }
        return try await Wrapped._decoded(from: inner)
    }
}

extension Array: _IntentValue where Element: _IntentValue {
    public func _encoded() -> Data { ServiceJSON.encode(map { $0._encoded() }) }

    public static func _decoded(from data: Data) async throws -> Self {
        var elements: Self = []
        for inner in ServiceJSON.decode([Data].self, from: data) { elements.append(try await Element._decoded(from: inner)) }
        return elements
    }
}

// MARK: The app's own values

/// An enumeration of the app, as the type of a parameter.
///
/// Source: Apple, documentation/appintents/appenum.
public protocol AppEnum: _IntentValue, CaseIterable, Hashable, RawRepresentable where RawValue: Codable {
    /// The name of the type, which has no effect.
    static var typeDisplayRepresentation: TypeDisplayRepresentation { get }
    /// The names of the cases, which have no effect.
    static var caseDisplayRepresentations: [Self: DisplayRepresentation] { get }
}

extension AppEnum {
    public func _encoded() -> Data { ServiceJSON.encode(rawValue) }

    public static func _decoded(from data: Data) async throws -> Self {
        let raw = ServiceJSON.decode(RawValue.self, from: data)
        guard let value = Self(rawValue: raw) else { throw AppIntentError.entityNotFound("\(raw)") }
        return value
    }
}

/// An object of the app, as the type of a parameter.
///
/// Only its identifier is passed to the app's process, where ``defaultQuery`` finds it.
///
/// Source: Apple, documentation/appintents/appentity.
public protocol AppEntity: _IntentValue, Identifiable where ID: EntityIdentifierConvertible {
    associatedtype DefaultQuery: EntityQuery where DefaultQuery.Entity == Self

    /// The query that finds objects by their identifiers.
    static var defaultQuery: DefaultQuery { get }
    /// The name of the type, which has no effect.
    static var typeDisplayRepresentation: TypeDisplayRepresentation { get }
    /// The name of the object, which has no effect.
    var displayRepresentation: DisplayRepresentation { get }
}

extension AppEntity {
    public func _encoded() -> Data { ServiceJSON.encode(id.entityIdentifierString) }

    public static func _decoded(from data: Data) async throws -> Self {
        let text = ServiceJSON.decode(String.self, from: data)
        guard let id = ID.entityIdentifier(for: text), let entity = try await defaultQuery.entities(for: [id]).first
        else { throw AppIntentError.entityNotFound(text) }
        return entity
    }
}

/// Finds objects of the app.
public protocol EntityQuery<Entity>: Sendable {
    associatedtype Entity: AppEntity

    /// Creates the query.
    init()
    /// Returns the objects with these identifiers, on any thread of the app's process.
    ///
    /// - Returns: The objects that exist.
    /// - Throws: An error with which the intent fails.
    func entities(for identifiers: [Entity.ID]) async throws -> [Entity]
    /// Returns the objects that the user can choose; never called here.
    ///
    /// - Returns: The objects.
    /// - Throws: An error.
    func suggestedEntities() async throws -> [Entity]
}

extension EntityQuery {
    public typealias Dependency = AppDependency
    public func suggestedEntities() async throws -> [Entity] { [] }
}

/// An identifier of an object, as a text.
public protocol EntityIdentifierConvertible: Hashable, Sendable {
    /// The identifier as a text.
    var entityIdentifierString: String { get }
    /// Returns the identifier with this text; `nil` if the text is none.
    static func entityIdentifier(for entityIdentifierString: String) -> Self?
}

extension EntityIdentifierConvertible where Self: LosslessStringConvertible {
    public var entityIdentifierString: String { description }
    public static func entityIdentifier(for entityIdentifierString: String) -> Self? { Self(entityIdentifierString) }
}

extension String: EntityIdentifierConvertible {}
extension Int: EntityIdentifierConvertible {}

extension UUID: EntityIdentifierConvertible {
    public var entityIdentifierString: String { uuidString }
    public static func entityIdentifier(for entityIdentifierString: String) -> UUID? {
        UUID(uuidString: entityIdentifierString)
    }
}

/// The name of a type, which has no effect.
public struct TypeDisplayRepresentation: ExpressibleByStringInterpolation, Hashable, Sendable {
    public init(stringLiteral value: String) {}
    /// Creates a name.
    public init(name: LocalizedStringResource, numericFormat: LocalizedStringResource? = nil) {}
}

/// The name of a value, which has no effect.
public struct DisplayRepresentation: ExpressibleByStringInterpolation, Hashable, Sendable {
    /// A picture of a value, which has no effect.
    public struct Image: Hashable, Sendable {
        /// Creates a picture with a symbol of the system.
        public init(systemName: String) {}
        /// Creates a picture of the app.
        public init(named name: String) {}
    }

    public init(stringLiteral value: String) {}
    /// Creates a name.
    public init(
        title: LocalizedStringResource, subtitle: LocalizedStringResource? = nil, image: Image? = nil,
        synonyms: [LocalizedStringResource] = []
    ) {}
}
