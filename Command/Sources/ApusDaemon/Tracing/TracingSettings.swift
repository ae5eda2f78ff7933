import ApusClient
import ApusJobs

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What OpenTelemetry's variables say about traces: where spans are sent, how they are collected, and which are recorded.
///
/// Without a variable that asks for traces, there are none, and the other variables are not read. A value that the
/// specification knows and this daemon does not support, which may be meant for other programs, switches traces off with a
/// warning. Any other invalid value is an error. Empty values count as absent.
struct TracingSettings: Hashable, Sendable {
    /// The URL that spans are posted to; `nil` if there are no traces.
    var endpoint: String?
    /// What each request has besides, in the order of the variable.
    var headers: [Pair] = []
    /// How long the collector has for an answer.
    var timeout: Duration = .seconds(10)
    /// What describes this process, in the order of the names.
    var resource: [Pair] = []
    var sampler: TraceSampler = .standard
    var batching = SpanBatching()
    /// What the user should know, in sentences.
    var warnings: [String] = []

    /// A name and its value.
    struct Pair: Hashable, Sendable {
        var name: String
        var value: String
    }

    /// Without traces.
    init() {}

    /// The settings of an environment.
    /// - Throws: `DaemonError` with `invalid`, which names the variable and the accepted forms. Values are not in it where
    ///   they can be secrets.
    init(environment: [String: String]) throws(DaemonError) {
        let variables = Variables(environment)
        guard try !variables.flag("OTEL_SDK_DISABLED") else { return }
        let exporter = variables["OTEL_TRACES_EXPORTER"]
        let base = variables["OTEL_EXPORTER_OTLP_ENDPOINT"]
        let traces = variables["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]
        guard exporter != nil || base != nil || traces != nil else { return }
        if let exporter {
            guard let isOTLP = try supports(exporter) else { return }
            guard isOTLP else { return }
        }
        guard try supportsProtocol(variables) else { return }
        let name = variables["OTEL_TRACES_SAMPLER"] ?? "parentbased_always_on"
        guard let sampler = try sampler(name, argument: variables["OTEL_TRACES_SAMPLER_ARG"]) else { return }
        self.sampler = sampler
        if let traces {
            endpoint = try Self.address(traces, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
        } else {
            let address = try Self.address(
                base ?? "http://localhost:4318", "OTEL_EXPORTER_OTLP_ENDPOINT", isBase: true)
            endpoint = address + (address.unicodeScalars.last == "/" ? "" : "/") + "v1/traces"
        }
        let (headers, argument) = variables.first("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS")
        self.headers = try Self.headers(headers, argument)
        let (timeout, variable) = variables.first("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT")
        self.timeout = .milliseconds(
            try Variables.number(timeout, variable, in: 1...600_000, unit: " of milliseconds") ?? 10_000)
        try readBatching(variables)
        resource = try Self.resource(variables)
    }

    /// Whether the exporter is OTLP; `nil`, with a warning, for one of other programs.
    private mutating func supports(_ exporter: String) throws(DaemonError) -> Bool? {
        let variable = "OTEL_TRACES_EXPORTER"
        switch exporter {
        case "otlp": return true
        case "none": return false
        case "console", "logging", "zipkin", "jaeger":
            warn(variable, exporter, "set it to otlp")
            return nil
        default:
            throw DaemonError(.invalid, "\(variable): \"\(exporter)\" is not one of otlp, none")
        }
    }

    private mutating func supportsProtocol(_ variables: Variables) throws(DaemonError) -> Bool {
        let (given, variable) = variables.first("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
        switch given {
        case nil, "http/json"?: return true
        case "grpc"?, "http/protobuf"?:
            warn(
                variable, given ?? "",
                "set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL to http/json, and the endpoint to the collector's port for HTTP "
                    + "(4318)")
            return false
        case let other?:
            throw DaemonError(.invalid, "\(variable): \"\(PrintableText.escaped(other))\" is not http/json")
        }
    }

    private mutating func sampler(
        _ name: String, argument: String?
    ) throws(DaemonError) -> TraceSampler? {
        var share = 1.0
        if let argument, name.hasSuffix("traceidratio") {
            guard let number = Double(argument), number >= 0, number <= 1 else {
                throw DaemonError(
                    .invalid,
                    "OTEL_TRACES_SAMPLER_ARG: \"\(PrintableText.escaped(argument))\" is not a number from 0 to 1")
            }
            share = number
        }
        if let sampler = TraceSampler(named: name, share: share) { return sampler }
        if ["jaeger_remote", "parentbased_jaeger_remote", "xray"].contains(name) {
            warn("OTEL_TRACES_SAMPLER", name, "set it to one of \(TraceSampler.allNames.joined(separator: ", "))")
            return nil
        }
        throw DaemonError(
            .invalid,
            "OTEL_TRACES_SAMPLER: \"\(PrintableText.escaped(name))\" is not one of "
                + TraceSampler.allNames.joined(separator: ", "))
    }

    private mutating func warn(_ variable: String, _ value: String, _ remedy: String) {
        warnings.append("no traces are sent: \(variable) is \(value), which apus does not support; \(remedy)")
    }

    private mutating func readBatching(_ variables: Variables) throws(DaemonError) {
        let size = "OTEL_BSP_MAX_QUEUE_SIZE"
        let batch = "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"
        let delay = "OTEL_BSP_SCHEDULE_DELAY"
        if let most = try Variables.number(variables[size], size, in: 1...1_000_000) { batching.queue = most }
        if let most = try Variables.number(variables[batch], batch, in: 1...1_000_000) {
            guard most <= batching.queue else {
                throw DaemonError(
                    .invalid, "\(batch): \(most) is more than the queue has room for (\(size), \(batching.queue))")
            }
            batching.batch = most
        } else {
            batching.batch = min(batching.batch, batching.queue)
        }
        if let pause = try Variables.number(variables[delay], delay, in: 0...3_600_000, unit: " of milliseconds") {
            batching.delay = .milliseconds(pause)
        }
    }
}

// MARK: Forms of values

extension TracingSettings {
    /// Checks a URL. One with a user or a password is not repeated in the error.
    private static func address(
        _ text: String, _ variable: String, isBase: Bool = false
    ) throws(DaemonError) -> String {
        guard let url = URL(string: text), let host = url.host, !host.isEmpty,
            let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme)
        else {
            throw DaemonError(
                .invalid,
                "\(variable): is not an http:// or https:// URL, such as http://localhost:4318\(isBase ? "" : "/v1/traces")"
            )
        }
        guard url.user == nil, url.password == nil else {
            throw DaemonError(
                .invalid, "\(variable): has a user or a password; use OTEL_EXPORTER_OTLP_HEADERS for credentials")
        }
        guard !isBase || url.query == nil && url.fragment == nil else {
            throw DaemonError(
                .invalid,
                "\(variable): has a query or a fragment, and /v1/traces would follow; "
                    + "use OTEL_EXPORTER_OTLP_TRACES_ENDPOINT for the whole URL")
        }
        return text
    }

    private static func headers(_ text: String?, _ variable: String) throws(DaemonError) -> [Pair] {
        let pairs = try Variables.pairs(text, variable)
        for pair in pairs {
            guard !["content-type", "content-encoding"].contains(pair.name.lowercased()) else {
                throw DaemonError(.invalid, "\(variable): the header \(pair.name) is set by apus")
            }
            try WebhookHeaders.check(pair.name, pair.value, argument: variable)
        }
        return pairs
    }

    /// The attributes of the resource: the user's, then the defaults for those that are missing.
    private static func resource(_ variables: Variables) throws(DaemonError) -> [Pair] {
        let variable = "OTEL_RESOURCE_ATTRIBUTES"
        var attributes = ["service.name": "apus", "service.version": ApusVersion.current]
        for pair in try Variables.pairs(variables[variable], variable) { attributes[pair.name] = pair.value }
        if let name = variables["OTEL_SERVICE_NAME"] { attributes["service.name"] = name }
        attributes["telemetry.sdk.name"] = "apus"
        attributes["telemetry.sdk.language"] = "swift"
        attributes["telemetry.sdk.version"] = ApusVersion.current
        return attributes.sorted { $0.key < $1.key }.map { Pair(name: $0.key, value: $0.value) }
    }
}

/// Reads values of variables.
private struct Variables {
    private let environment: [String: String]

    init(_ environment: [String: String]) { self.environment = environment }

    /// The value without white space at its ends; `nil` if there is none.
    subscript(name: String) -> String? {
        guard let value = environment[name] else { return nil }
        let text = value.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }
        return text.isEmpty ? nil : String(text.reversed())
    }

    /// The first of two variables that has a value, and its name; without a value, the name of the second.
    func first(_ specific: String, _ general: String) -> (value: String?, name: String) {
        if let value = self[specific] { return (value, specific) }
        return (self[general], general)
    }

    func flag(_ name: String) throws(DaemonError) -> Bool {
        switch self[name]?.lowercased() {
        case nil, "false"?: return false
        case "true"?: return true
        case let other?:
            throw DaemonError(.invalid, "\(name): \"\(PrintableText.escaped(other))\" is not true or false")
        }
    }

    static func number(
        _ text: String?, _ name: String, in range: ClosedRange<Int>, unit: String = ""
    ) throws(DaemonError) -> Int? {
        guard let text else { return nil }
        guard let number = Int(text), range.contains(number), text.utf8.first != UInt8(ascii: "+") else {
            throw DaemonError(
                .invalid,
                "\(name): \"\(PrintableText.escaped(text))\" is not a whole number\(unit) from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return number
    }

    /// `NAME=VALUE,NAME=VALUE`, percent-encoded. Of a name that is given twice, the last value counts.
    static func pairs(_ text: String?, _ name: String) throws(DaemonError) -> [TracingSettings.Pair] {
        var pairs: [TracingSettings.Pair] = []
        for (index, scalars) in (text ?? "").unicodeScalars.split(separator: ",").enumerated() {
            let parts = scalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                Substring.init)
            guard parts.count == 2, let key = decoded(parts[0]), let value = decoded(parts[1]), !key.isEmpty else {
                throw DaemonError(
                    .invalid,
                    "\(name): entry \(index + 1) is not NAME=VALUE, percent-encoded (%20 for a space, %2C for a comma)")
            }
            pairs.removeAll { $0.name == key }
            pairs.append(.init(name: key, value: value))
        }
        return pairs
    }

    private static func decoded(_ text: Substring) -> String? {
        let trimmed = text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()
        var bytes: [UInt8] = []
        var rest = String(trimmed).utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
                let decoded = UInt8(Substring(digits), radix: 16)
            else { return nil }
            bytes.append(decoded)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
