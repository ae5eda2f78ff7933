#if Postgres
    import ApusJobs
    import Testing

    @testable import ApusPostgres

    @Suite("The text of an event for the other nodes")
    struct CodedEventTests {
        @Test(
            "an event is read as it was written, whatever its texts contain",
            arguments: [
                "plain", "",
                "quote \" backslash \\ slash /", "line\nend\ttab\u{0}\u{1F}\u{7F}", "é 🇩🇪 e\u{301} \u{2028}",
                "\\u0041", "{\"kind\":\"deleted\"}",
            ])
        func texts(_ text: String) throws {
            let job = JobID(rawValue: text)
            let events: [JobEvent] = [
                .deleted(jobID: job),
                .output(jobID: job, occurrence: -3, attempt: 2, offset: .max, bytes: [0, 34, 92, 255]),
                .output(jobID: job, occurrence: .min, attempt: .max, offset: 0, bytes: []),
                .progress(jobID: job, occurrence: 1, attempt: 1, fraction: 1e-9, message: text),
                .progress(jobID: job, occurrence: 1, attempt: 1, fraction: 1.0 / 3, message: nil),
            ]
            for event in events {
                var coded = try #require(CodedEvent(event))
                for key in [0, 7, Int64.min, .max] {
                    coded.key = key
                    #expect(try JobJSON.decode(CodedEvent.self, from: Array(coded.json.utf8)) == coded)
                }
            }
        }

        @Test("every kind of event is read as it was written", arguments: CodedEvent.Kind.allCases)
        func kinds(_ kind: CodedEvent.Kind) throws {
            var coded = try #require(CodedEvent(.deleted(jobID: "a")))
            coded.kind = kind
            #expect(try JobJSON.decode(CodedEvent.self, from: Array(coded.json.utf8)) == coded)
        }
    }
#endif
