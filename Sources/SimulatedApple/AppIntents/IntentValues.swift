import SimulatedAppleCore

/// A value that a parameter can have.
public protocol IntentParameterValue: Sendable {
    /// The value of a parameter that was never set; `nil` if there is none.
    static var absentParameterValue: Self? { get }
    /// Returns the value for the app's process.
    func parameterData() -> Data
    /// Returns the value in the app's process.
    ///
    /// - Throws: An error if there is no such value.
    static func parameterValue(from data: Data) async throws -> Self
}

extension IntentParameterValue {
    /// No value.
    public static var absentParameterValue: Self? { nil }
}

/// A value that is passed to the app's process as JSON.
public protocol CodableParameterValue: IntentParameterValue, Codable {}

extension CodableParameterValue {
    /// Returns the value as JSON.
    public func parameterData() -> Data { ServiceJSON.encode(self) }
    /// Returns the value from JSON.
    ///
    /// - Returns: The value.
    /// - Throws: An error if there is no such value.
    public static func parameterValue(from data: Data) async throws -> Self {
        ServiceJSON.decode(Self.self, from: data)
    }
}

extension String: CodableParameterValue {}
extension Int: CodableParameterValue {}
extension Double: CodableParameterValue {}
extension Bool: CodableParameterValue {}
extension Date: CodableParameterValue {}
extension DateComponents: CodableParameterValue {}
extension Decimal: CodableParameterValue {}
extension Duration: CodableParameterValue {}
extension URL: CodableParameterValue {}
extension UUID: CodableParameterValue {}
extension Data: CodableParameterValue {}

extension Optional: IntentParameterValue where Wrapped: IntentParameterValue {
    /// No value.
    public static var absentParameterValue: Self? { .some(nil) }
    /// Returns the value as JSON.
    public func parameterData() -> Data { ServiceJSON.encode(map { $0.parameterData() }) }

    /// Returns the value from JSON.
    ///
    /// - Returns: The value.
    /// - Throws: An error if there is no such value.
    public static func parameterValue(from data: Data) async throws -> Self {
        guard let inner = ServiceJSON.decode(Data?.self, from: data) else { return nil }
        return try await Wrapped.parameterValue(from: inner)
    }
}

extension Array: IntentParameterValue where Element: IntentParameterValue {
    /// Returns the value as JSON.
    public func parameterData() -> Data { ServiceJSON.encode(map { $0.parameterData() }) }

    /// Returns the value from JSON.
    ///
    /// - Returns: The value.
    /// - Throws: An error if there is no such value.
    public static func parameterValue(from data: Data) async throws -> Self {
        var elements: Self = []
        for inner in ServiceJSON.decode([Data].self, from: data) {
            elements.append(try await Element.parameterValue(from: inner))
        }
        return elements
    }
}

// MARK: The app's own values

/// An enumeration of the app, as the type of a parameter.
///
/// Source: Apple, documentation/appintents/appenum.
public protocol AppEnum: IntentParameterValue, CaseIterable, Hashable, RawRepresentable where RawValue: Codable {
    /// The name of the type, which has no effect.
    static var typeDisplayRepresentation: TypeDisplayRepresentation { get }
    /// The names of the cases, which have no effect.
    static var caseDisplayRepresentations: [Self: DisplayRepresentation] { get }
}

extension AppEnum {
    /// Returns the value as JSON.
    public func parameterData() -> Data { ServiceJSON.encode(rawValue) }

    /// Returns the value from JSON.
    ///
    /// - Returns: The value.
    /// - Throws: An error if there is no such value.
    public static func parameterValue(from data: Data) async throws -> Self {
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
public protocol AppEntity: IntentParameterValue, Identifiable where ID: EntityIdentifierConvertible {
    associatedtype DefaultQuery: EntityQuery where DefaultQuery.Entity == Self

    /// The query that finds objects by their identifiers.
    static var defaultQuery: DefaultQuery { get }
    /// The name of the type, which has no effect.
    static var typeDisplayRepresentation: TypeDisplayRepresentation { get }
    /// The name of the object, which has no effect.
    var displayRepresentation: DisplayRepresentation { get }
}

extension AppEntity {
    /// Returns the value as JSON.
    public func parameterData() -> Data { ServiceJSON.encode(id.entityIdentifierString) }

    /// Returns the value from JSON.
    ///
    /// - Returns: The value.
    /// - Throws: An error if there is no such value.
    public static func parameterValue(from data: Data) async throws -> Self {
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
    /// An object that the app adds to `AppDependencyManager`.
    public typealias Dependency = AppDependency
    /// Returns no objects.
    ///
    /// - Returns: An empty array.
    /// - Throws: Nothing.
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
    /// The identifier as a text.
    public var entityIdentifierString: String { description }
    /// Returns the identifier with this text; `nil` if the text is none.
    public static func entityIdentifier(for entityIdentifierString: String) -> Self? { Self(entityIdentifierString) }
}

extension String: EntityIdentifierConvertible {}
extension Int: EntityIdentifierConvertible {}

extension UUID: EntityIdentifierConvertible {
    /// The identifier as a text.
    public var entityIdentifierString: String { uuidString }
    /// Returns the identifier with this text; `nil` if the text is none.
    public static func entityIdentifier(for entityIdentifierString: String) -> UUID? {
        UUID(uuidString: entityIdentifierString)
    }
}

/// The name of a type, which has no effect.
public struct TypeDisplayRepresentation: ExpressibleByStringInterpolation, Hashable, Sendable {
    /// Creates a name from a text.
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

    /// Creates a name from a text.
    public init(stringLiteral value: String) {}
    /// Creates a name.
    public init(
        title: LocalizedStringResource, subtitle: LocalizedStringResource? = nil, image: Image? = nil,
        synonyms: [LocalizedStringResource] = []
    ) {}
}
