extension ScheduleTextError {
    /// Returns the error with suggestions: texts that can be read and differ from the refused text in only a few words.
    ///
    /// - Parameters:
    ///   - text: The text that was refused.
    ///   - read: Reads another text, and returns it as it is to be shown.
    /// - Returns: The error.
    func suggesting(
        instead text: String, reading read: (String) throws(ScheduleTextError) -> String
    ) -> ScheduleTextError {
        guard text.utf8.count <= Suggestions.longestText else { return self }
        var search = Suggestions(language: PhraseReader(text).vocabulary)
        var result = self
        // If the words at the error can be read in several ways, all of these are suggested. Otherwise, only the
        // nearest text is suggested.
        let readings = readings.compactMap { try? read(replacing(in: text, with: $0)) }
        let nearest = readings.isEmpty ? search.nearest(to: text, after: self, read) : nil
        result.suggestions = nearest.map { [$0] } ?? readings
        (result.readings, result.candidates) = ([], [])
        return result
    }

    /// Returns the text with another text in place of the one that was found at the error.
    fileprivate func replacing(in text: String, with other: String) -> String {
        text.prefix(column - 1) + other + text.dropFirst(column - 1 + found.count)
    }
}

/// Searches for a text that can be read, by changing words of a text that cannot.
private struct Suggestions {
    /// The length, in bytes, of the longest text for which suggestions are searched.
    ///
    /// The length is limited because a search reads up to 300 variants of the text.
    static let longestText = 200

    let language: Vocabulary
    private var attempts = 300

    init(language: Vocabulary) { self.language = language }

    /// Returns the nearest text that can be read and in which at most three words differ; nil if none is found.
    ///
    /// Words with fewer changed letters are tried first.
    mutating func nearest(
        to text: String, after error: ScheduleTextError, depth: Int = 3,
        _ read: (String) throws(ScheduleTextError) -> String
    ) -> String? {
        guard depth > 0 else { return nil }
        var failures: [(String, ScheduleTextError)] = []
        for other in changes(of: text, after: error) where attempts > 0 {
            attempts -= 1
            do { return try read(other) } catch { failures.append((other, error)) }
        }
        for (other, error) in failures {
            if let found = nearest(to: other, after: error, depth: depth - 1, read) { return found }
        }
        return nil
    }

    private func changes(of text: String, after error: ScheduleTextError) -> [String] {
        var changes = error.candidates + error.readings.map { error.replacing(in: text, with: $0) }
        let word = error.found.lowercased()
        guard !word.isEmpty, language.senses[word] == nil, !word.contains(where: \.isNumber) else { return changes }
        if word.first?.isLetter == true {
            let bytes = Array(word.utf8)
            let near = language.words.map { (word: $0, distance: editDistance(bytes, Array($0.utf8))) }
                .filter { $0.word.utf8.count > 2 && $0.distance * 3 <= max(bytes.count, $0.word.utf8.count) }
            // Of equally near words, those with the same last letter come first, so that a plural stays a plural.
            func order(_ near: (word: String, distance: Int)) -> (Int, Int, String) {
                (near.distance, near.word.last == word.last ? 0 : 1, near.word)
            }
            changes += near.sorted { order($0) < order($1) }.prefix(4)
                .map { error.replacing(in: text, with: $0.word) }
        }
        // Words are dropped only at the edges of the text, because without a word in the middle it could mean something
        // else. A word in capitals is not dropped either, because it can be the abbreviation of a zone.
        let isAtEdge = error.column == 1 || error.column + error.found.count > text.count
        if isAtEdge, error.found.uppercased() != error.found || error.found.first?.isLetter == false {
            changes.append(error.replacing(in: text, with: "").trimmingWhitespace)
        }
        return changes
    }
}
