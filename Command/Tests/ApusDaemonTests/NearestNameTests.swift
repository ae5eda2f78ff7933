import Testing

@testable import ApusClient

@Suite("The name that was meant")
struct NearestNameTests {
    @Test(
        "a letter that is left out, added, replaced, or exchanged with the next one is near, and another word is not",
        arguments: [
            ("lst", "list"), ("liist", "list"), ("lost", "list"), ("lsit", "list"), ("cuontdown", "countdown"),
            ("suspnd", "suspend"), ("tsil", nil), ("ls", nil), ("wibble", nil), ("", nil), ("xxxxxxxxx", nil),
        ])
    func near(word: String, meant: String?) {
        #expect(NearestName.of(word, among: ["list", "countdown", "suspend"]) == meant)
    }

    @Test("of two that are equally near, it is the first")
    func first() { #expect(NearestName.of("statsu", among: ["status", "stats"]) == "status") }

    @Test("a variable has a nearest one only if one is near, whatever the prefix adds")
    func variables() {
        let found = SettingKey.unknownVariables(in: [
            "APUS_LOGLEVEL": "", "APUS_GRAEC": "", "APUS_X": "", "APUS_OWN": "",
        ])
        #expect(found.map(\.name) == ["APUS_GRAEC", "APUS_LOGLEVEL", "APUS_OWN", "APUS_X"])
        #expect(found.map(\.nearest) == ["APUS_GRACE", "APUS_LOG_LEVEL", nil, nil])
    }
}
