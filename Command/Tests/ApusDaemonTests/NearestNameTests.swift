import Testing

@testable import ApusClient

@Suite("The nearest name")
struct NearestNameTests {
    @Test(
        "a name with one letter omitted, added, replaced or transposed is near, and another word is not",
        arguments: [
            ("lst", "list"), ("liist", "list"), ("lost", "list"), ("lsit", "list"), ("cuontdown", "countdown"),
            ("suspnd", "suspend"), ("tsil", nil), ("ls", nil), ("wibble", nil), ("", nil), ("xxxxxxxxx", nil),
        ])
    func near(word: String, meant: String?) {
        #expect(NearestName.of(word, among: ["list", "countdown", "suspend"]) == meant)
    }

    @Test("the first of two equally near names is chosen")
    func first() { #expect(NearestName.of("statsu", among: ["status", "stats"]) == "status") }

    @Test("an environment variable's suggestion must be near without the common prefix")
    func variables() {
        let found = SettingKey.unknownVariables(in: [
            "APUS_LOGLEVEL": "", "APUS_GRAEC": "", "APUS_X": "", "APUS_OWN": "",
        ])
        #expect(found.map(\.name) == ["APUS_GRAEC", "APUS_LOGLEVEL", "APUS_OWN", "APUS_X"])
        #expect(found.map(\.nearest) == ["APUS_GRACE", "APUS_LOG_LEVEL", nil, nil])
    }
}
