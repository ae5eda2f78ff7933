import Testing

@testable import LoopbackWeb

@Suite("What a request's address says")
struct RequestTests {
    @Test("a parameter of the path is percent-decoded, and an encoded slash stays in it")
    func pathParameters() async throws {
        try await WebUnderTest.with { (web) async throws in
            for (raw, text) in [
                ("my%20backup", "my backup"), ("gr%C3%B6%C3%9fe", "größe"), ("a%2Fb", "a/b"), ("100%25", "100%"),
                ("a+b", "a+b"), ("%252F", "%2F"),
            ] {
                let answer = try await web.ask("GET", "/things/\(raw)", [WebUnderTest.bearer])
                #expect(answer.body == #"["\#(text)","-"]"#, "\(raw)")
            }
            for raw in ["%", "a%2", "%zz", "%FF", "%C3", "%-1"] {
                let answer = try await web.ask("GET", "/things/\(raw)", [WebUnderTest.bearer])
                #expect(answer.status == 400 && answer.body.contains("percent-encoded UTF-8"), "\(raw)")
            }
        }
    }

    @Test(
        "a query is decoded as a form's, and an unknown or repeated parameter is refused by name")
    func queries() async throws {
        try await WebUnderTest.with { (web) async throws in
            let answer = try await web.ask(
                "GET", "/things/x?label=a+b%2Bc&limit=1%20&label=", [WebUnderTest.bearer])
            #expect(answer.body == #"["x","1 ","a b+c",""]"#)
            for (query, complaint) in [
                ("limt=5", "unknown parameter limt; the known parameters are limit, label"),
                ("limit=1&limit=2", "limit: is given several times"), ("limit=%f", "is not percent-encoded"),
            ] {
                let refused = try await web.ask("GET", "/things/x?\(query)", [WebUnderTest.bearer])
                #expect(refused.status == 400 && refused.body.contains(complaint), "\(refused.body)")
            }
        }
    }
}
