/// The words that can follow in a schedule or in a time, for the completions of a shell.
package enum PhraseCompletion {
    /// What is completed.
    package enum Kind: Sendable {
        /// A schedule.
        case schedule
        /// A schedule after the word *every*.
        case afterEvery
        /// An instant.
        case moment
    }

    /// Returns the words of the vocabulary that can continue a text, in the order of the table.
    ///
    /// These are the words that the parser accepts there, so that completions need no grammar of their own.
    ///
    /// - Parameters:
    ///   - text: What was typed, without the word that is completed.
    ///   - kind: What is completed.
    ///   - today: The date of the reader.
    /// - Returns: The words; in English if the text is empty.
    package static func words(after text: String, _ kind: Kind, today: CivilDate) -> [String] {
        // The usual words are offered. Others are offered only if they have more than four letters, so that
        // abbreviations are left out.
        PhraseReader(text).vocabulary.rows.flatMap { row in
            var isUnit = false
            if case .unit = row.meaning { isUnit = true }
            return row.words.prefix(isUnit ? 2 : 1) + row.words.dropFirst().filter { $0.count > 4 } + row.plurals
        }.filter { accepts("\(text) \($0)".trimmingWhitespace, kind, today) }
    }

    /// Whether a text can be read, or is refused only because more words must follow.
    private static func accepts(_ text: String, _ kind: Kind, _ today: CivilDate) -> Bool {
        do throws(ScheduleTextError) {
            switch kind {
            case .schedule: _ = try SchedulePhrase.parse(text, today: today)
            case .afterEvery: _ = try SchedulePhrase.parse(text, today: today, impliesEvery: true)
            case .moment: _ = try Moment.read(text)
            }
            return true
        } catch { return error.found.isEmpty }
    }
}
