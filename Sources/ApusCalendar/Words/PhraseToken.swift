/// A piece of a text in words: a run of letters, a run of digits, or one other character.
struct PhraseToken: Sendable {
    enum Kind: Sendable { case word, number, symbol, end }

    var kind: Kind
    /// The text as it was typed.
    var text: String
    var lower: String
    /// The place of the token in the text, as offsets of UTF-8 bytes.
    var range: Range<Int>
    /// Whether there is no space between the token and the one before it.
    var isGlued: Bool

    /// The value of a number; nil for another token, and for a number of more than nine digits.
    var number: Int? { kind == .number && text.utf8.count <= 9 ? Int(text) : nil }

    /// Splits a text into tokens, of which the last has the kind ``Kind/end``.
    ///
    /// A word contains an apostrophe or a hyphen only if a vocabulary has that word (`o'clock`, `après-demain`). Any
    /// other hyphen is a symbol (`mon-fri`).
    static func split(_ text: String) -> [PhraseToken] {
        var tokens: [PhraseToken] = []
        var (offset, isGlued) = (0, false)
        var previous: Kind?
        for character in text {
            let end = offset + character.utf8.count
            defer { offset = end }
            if character.isWhitespace {
                (previous, isGlued) = (nil, false)
                continue
            }
            let value = character.asciiValue
            let isDigit = value.map { (0x30...0x39).contains($0) } ?? false
            let kind: Kind = isDigit ? .number : character.isLetter || character == "_" ? .word : .symbol
            if kind == previous, kind != .symbol {
                tokens[tokens.count - 1].text.append(character)
                tokens[tokens.count - 1].range = tokens[tokens.count - 1].range.lowerBound..<end
            } else {
                tokens.append(
                    PhraseToken(
                        kind: kind, text: String(character), lower: "", range: offset..<end, isGlued: isGlued))
            }
            (previous, isGlued) = (kind, true)
        }
        for index in tokens.indices { tokens[index].lower = tokens[index].text.lowercased() }
        tokens = joined(tokens.flatMap(halves))
        tokens.append(PhraseToken(kind: .end, text: "", lower: "", range: offset..<offset, isGlued: false))
        return tokens
    }

    /// Splits a word such as `amjan` in two, because at(1) reads `8:15amjan24`.
    private static func halves(_ token: PhraseToken) -> [PhraseToken] {
        guard token.kind == .word, token.isGlued, token.lower.utf8.count > 4,
            token.lower.hasPrefix("am") || token.lower.hasPrefix("pm"), token.text.utf8.count == token.text.count
        else { return [token] }
        var (first, second) = (token, token)
        (first.text, first.lower) = (String(token.text.prefix(2)), String(token.lower.prefix(2)))
        (second.text, second.lower) = (String(token.text.dropFirst(2)), String(token.lower.dropFirst(2)))
        first.range = token.range.lowerBound..<token.range.lowerBound + 2
        second.range = first.range.upperBound..<token.range.upperBound
        return Names.month(second.lower) == nil ? [token] : [first, second]
    }

    private static let compounds = Set(
        Vocabulary.all.flatMap(\.words).filter { $0.contains("'") || $0.contains("-") })

    private static func joined(_ tokens: [PhraseToken]) -> [PhraseToken] {
        var result: [PhraseToken] = []
        var index = 0
        while index < tokens.count {
            if index + 2 < tokens.count, tokens[index + 1].isGlued, tokens[index + 2].isGlued {
                let parts = tokens[index...index + 2]
                let lower = parts.map(\.lower).joined().replacing("’", with: "'")
                if compounds.contains(lower) {
                    result.append(
                        PhraseToken(
                            kind: .word, text: parts.map(\.text).joined(), lower: lower,
                            range: tokens[index].range.lowerBound..<tokens[index + 2].range.upperBound,
                            isGlued: tokens[index].isGlued))
                    index += 3
                    continue
                }
            }
            result.append(tokens[index])
            index += 1
        }
        return result
    }
}
