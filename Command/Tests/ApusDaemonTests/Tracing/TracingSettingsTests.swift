import Testing

@testable import ApusClient
@testable import ApusDaemon

@Suite("The settings of traces")
struct TracingSettingsTests {
    private static let endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"

    private func settings(_ variables: [String: String]) throws -> TracingSettings {
        try TracingSettings(environment: variables)
    }

    /// With an endpoint, and other variables.
    private func traced(_ variables: [String: String]) throws -> TracingSettings {
        try settings([Self.endpoint: "http://collector:4318"].merging(variables) { _, new in new })
    }

    @Test(
        "without a variable that asks for traces there are none, and other variables are not read",
        arguments: [
            [:], [endpoint: ""], [endpoint: "  "], ["OTEL_TRACES_SAMPLER": "no such sampler"],
            ["OTEL_SERVICE_NAME": "jobs"], ["OTEL_EXPORTER_OTLP_HEADERS": "no pair"],
            ["OTEL_TRACES_EXPORTER": "none", endpoint: "http://collector:4318"],
            ["OTEL_SDK_DISABLED": "True", endpoint: "http://collector:4318"],
            ["OTEL_SDK_DISABLED": "true", endpoint: "no URL"],
        ])
    func off(variables: [String: String]) throws {
        let settings = try settings(variables)
        #expect(settings.endpoint == nil && settings.warnings.isEmpty)
    }

    @Test(
        "the endpoint of traces is used as it is, and that of all signals has /v1/traces appended",
        arguments: [
            (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"], "http://collector:4318/v1/traces"),
            (["OTEL_EXPORTER_OTLP_ENDPOINT": " https://c.example/otlp/ "], "https://c.example/otlp/v1/traces"),
            (
                [
                    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://t:1/x?a=b",
                    "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:2",
                ], "http://t:1/x?a=b"
            ),
            (
                ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:2"],
                "http://c:2/v1/traces"
            ),
            (["OTEL_TRACES_EXPORTER": "otlp"], "http://localhost:4318/v1/traces"),
        ])
    func endpoints(variables: [String: String], expected: String) throws {
        #expect(try settings(variables).endpoint == expected)
    }

    @Test("the defaults are those of the specification, except for the service's name")
    func defaults() throws {
        let settings = try traced([:])
        #expect(settings.timeout == .seconds(10) && settings.headers.isEmpty && settings.sampler == .standard)
        #expect(settings.batching.queue == 2_048 && settings.batching.batch == 512)
        #expect(settings.batching.delay == .seconds(5))
        #expect(settings.resource.first { $0.name == "service.name" }?.value == "apus")
        #expect(settings.resource.map(\.name) == settings.resource.map(\.name).sorted())
    }

    @Test("the variables of traces come before those of all signals")
    func precedence() throws {
        let settings = try traced([
            "OTEL_EXPORTER_OTLP_HEADERS": "a=1", "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "b=2",
            "OTEL_EXPORTER_OTLP_TIMEOUT": "1", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT": "2500",
            "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json",
        ])
        #expect(settings.headers == [.init(name: "b", value: "2")] && settings.timeout == .milliseconds(2_500))
        #expect(settings.endpoint != nil && settings.warnings.isEmpty)
    }

    @Test("headers and attributes are percent-encoded pairs; of a name that is given twice, the last one counts")
    func pairs() throws {
        let settings = try traced([
            "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Basic%20YTpi=, x-key = a%2Cb ,x-key=c%C3%A9,",
            "OTEL_RESOURCE_ATTRIBUTES": "service.name=ignored,deployment.environment.name=test%201",
            "OTEL_SERVICE_NAME": "jobs",
        ])
        #expect(
            settings.headers == [.init(name: "authorization", value: "Basic YTpi="), .init(name: "x-key", value: "cé")])
        let resource = Dictionary(uniqueKeysWithValues: settings.resource.map { ($0.name, $0.value) })
        #expect(resource["service.name"] == "jobs" && resource["deployment.environment.name"] == "test 1")
        #expect(resource["telemetry.sdk.language"] == "swift")
    }

    @Test(
        "a sampler has its name, and a ratio its share",
        arguments: [
            ("always_on", nil, TraceSampler(root: .always, followsParent: false)),
            ("always_off", "ignored", TraceSampler(root: .never, followsParent: false)),
            ("traceidratio", nil, TraceSampler(root: .ratio(1), followsParent: false)),
            ("traceidratio", "0.25", TraceSampler(root: .ratio(0.25), followsParent: false)),
            ("parentbased_always_on", nil, TraceSampler(root: .always, followsParent: true)),
            ("parentbased_always_off", nil, TraceSampler(root: .never, followsParent: true)),
            ("parentbased_traceidratio", "0", TraceSampler(root: .ratio(0), followsParent: true)),
        ] as [(String, String?, TraceSampler)])
    func samplers(name: String, argument: String?, expected: TraceSampler) throws {
        let sampler = try traced(["OTEL_TRACES_SAMPLER": name, "OTEL_TRACES_SAMPLER_ARG": argument ?? ""]).sampler
        #expect(sampler == expected)
    }

    @Test("a batch is not larger than the queue")
    func batching() throws {
        let small = try traced(["OTEL_BSP_MAX_QUEUE_SIZE": "100", "OTEL_BSP_SCHEDULE_DELAY": "0"]).batching
        #expect(small.queue == 100 && small.batch == 100 && small.delay == .zero)
        let given = try traced(["OTEL_BSP_MAX_QUEUE_SIZE": "100", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "10"]).batching
        #expect(given.queue == 100 && given.batch == 10)
    }

    @Test(
        "what the specification knows and the daemon does not support switches traces off, with a remedy",
        arguments: [
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "http/json"),
            ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/protobuf", "http/json"),
            ("OTEL_TRACES_EXPORTER", "console", "otlp"), ("OTEL_TRACES_SAMPLER", "jaeger_remote", "always_on"),
        ])
    func unsupported(variable: String, value: String, remedy: String) throws {
        let settings = try traced([variable: value])
        #expect(settings.endpoint == nil && settings.warnings.count == 1)
        let warning = try #require(settings.warnings.first)
        #expect(warning.contains("\(variable) is \(value)") && warning.contains(remedy), "\(warning)")
    }

    @Test(
        "an invalid value is an error that names the variable and the accepted forms",
        arguments: [
            ("OTEL_SDK_DISABLED", "yes", "true or false"), ("OTEL_TRACES_EXPORTER", "otlp,none", "otlp, none"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", "http://localhost:4318"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "ftp://collector", "http:// or https://"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:1/?a=b", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http:///v1/traces", "http://localhost:4318/v1/traces"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "json", "http/json"), ("OTEL_EXPORTER_OTLP_TIMEOUT", "10s", "milliseconds"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "0", "from 1"), ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "-1", "from 1"),
            ("OTEL_TRACES_SAMPLER", "sometimes", "parentbased_traceidratio"),
            ("OTEL_BSP_MAX_QUEUE_SIZE", "0", "from 1"), ("OTEL_BSP_SCHEDULE_DELAY", "1.5", "milliseconds"),
            ("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "2049", "OTEL_BSP_MAX_QUEUE_SIZE"),
            ("OTEL_RESOURCE_ATTRIBUTES", "a=b,c", "NAME=VALUE"),
            ("OTEL_RESOURCE_ATTRIBUTES", "a=%zz", "percent-encoded"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a=%0D%0Ab", "line break"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a b=c", "header"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "Content-Type=text/plain", "set by apus"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "host=x", "set by apus"),
        ])
    func invalid(variable: String, value: String, forms: String) throws {
        let error = #expect(throws: DaemonError.self) { try traced([variable: value]) }
        #expect(error?.code == .invalid)
        #expect(
            error?.message.hasPrefix("\(variable): ") == true && error?.message.contains(forms) == true)
    }

    @Test("the share of a ratio is a number from 0 to 1", arguments: ["-0.1", "1.01", "half", "nan"])
    func shares(text: String) throws {
        let error = #expect(throws: DaemonError.self) {
            try traced(["OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": text])
        }
        #expect(error?.message.hasPrefix("OTEL_TRACES_SAMPLER_ARG: ") == true)
    }

    @Test(
        "an error repeats no secret",
        arguments: [
            ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=hunter2%"), ("OTEL_EXPORTER_OTLP_HEADERS", "hunter2"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=hunter2%0A"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://ann:hunter2@collector"),
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://hunter2@"),
        ])
    func secrets(variable: String, value: String) throws {
        let error = #expect(throws: DaemonError.self) { try traced([variable: value]) }
        #expect(error?.description.contains("hunter2") == false)
    }
}
