extension CivilDate: Codable {
    /// Parses a date such as `2026-12-24`, or returns nil.
    ///
    /// - Parameter text: The year with four digits, and the month and the day with two digits each.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map {
            Token(text: String($0), column: 1)
        }
        guard parts.map(\.text.utf8.count) == [4, 2, 2], let year = parts[0].number, let month = parts[1].number,
            let day = parts[2].number
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// Decodes a date from a text such as `2026-12-24`.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if the text is not a date in the years 1 to 9999.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value {
            CivilDate($0)
        } orExpected: {
            "a date such as 2026-12-24"
        }
    }

    /// Encodes the date as a text such as `2026-12-24`.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: `EncodingError` if the year is not in 1 to 9999.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode(description, isExact: CivilDate(description) == self)
    }
}

extension CivilDateTime: Codable {
    /// Parses a date-time such as `2026-12-24T18:00:00`, or returns nil.
    ///
    /// - Parameter text: The date, `T`, and the hour, minute and second with two digits each.
    public init?(_ text: some StringProtocol) {
        let halves = text.split(separator: "T", omittingEmptySubsequences: false)
        guard halves.count == 2, let date = CivilDate(halves[0]) else { return nil }
        let parts = halves[1].split(separator: ":", omittingEmptySubsequences: false).map {
            Token(text: String($0), column: 1)
        }
        guard parts.map(\.text.utf8.count) == [2, 2, 2], let hour = parts[0].number, let minute = parts[1].number,
            let second = parts[2].number, let time = CivilTime(hour: hour, minute: minute, second: second)
        else { return nil }
        self.init(date: date, time: time)
    }

    /// Decodes a date-time from a text such as `2026-12-24T18:00:00`.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if the text is not a date-time in the years 1 to 9999.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value {
            CivilDateTime($0)
        } orExpected: {
            "a date-time such as 2026-12-24T18:00:00"
        }
    }

    /// Encodes the date-time as a text such as `2026-12-24T18:00:00`.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: `EncodingError` if the year is not in 1 to 9999.
    public func encode(to encoder: any Encoder) throws {
        let text = description.replacing(" ", with: "T")
        try encoder.encode(text, isExact: CivilDateTime(text) == self)
    }
}

extension Decoder {
    fileprivate func value<Value>(
        _ read: (String) -> Value?, orExpected expected: () -> String
    ) throws -> Value {
        let container = try singleValueContainer()
        let text = try container.decode(String.self)
        if let value = read(text) { return value }
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "“\(text)” is not \(expected())")
    }
}

extension Encoder {
    fileprivate func encode(_ text: String, isExact: Bool) throws {
        var container = singleValueContainer()
        guard isExact else {
            let context = EncodingError.Context(
                codingPath: codingPath, debugDescription: "a date outside the years 1 to 9999")
            throw EncodingError.invalidValue(text, context)
        }
        try container.encode(text)
    }
}
