/// Reads the one event of an iCalendar text (RFC 5545, 3.6).
struct ICalendar {
    fileprivate struct Event {
        var properties: RecurrenceParser
        var identifier = ""
        var summary = "without a summary"
        var isCancelled = false
        /// The occurrence that this event replaces.
        var replaced: RecurrenceParser.Moment?
    }

    private static let areas: Set = [
        "Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Etc", "Europe", "Indian",
        "Pacific",
    ]

    /// The names of the components that are open, from the outermost on.
    private var open: [String] = []
    private var events: [Event] = []
    private var ignored: [String] = []
    private let zoneNames: [String: String]
    private let definedZones: Set<String>

    static func isContained(in text: String) -> Bool {
        text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }.prefix(6).uppercased() == "BEGIN:"
    }

    /// Returns the IANA name at the end of a longer name, such as `/example.org/20261124_1/Europe/Berlin`; nil if there
    /// is none.
    static func zoneName(of text: String) -> String? {
        let parts = text.split(separator: "/").map(String.init)
        return parts.firstIndex { areas.contains($0) }.map { parts[$0...].joined(separator: "/") }
    }

    static func parse(_ text: String) throws(ScheduleTextError) -> RecurrenceText {
        let lines = unfolded(text)
        var file = ICalendar(zones: zones(in: lines))
        for (number, line) in lines {
            do { try file.read(line) } catch { throw error.inLine(number) }
        }
        let end = Token(text: "", column: 1)
        let last = lines.last?.number ?? 1
        do { return try file.schedule(end) } catch { throw error.inLine(last) }
    }

    private init(zones: (names: [String: String], defined: Set<String>)) {
        (zoneNames, definedZones) = (zones.names, zones.defined)
    }

    /// Returns the lines with their numbers.
    ///
    /// A line that begins with a space or tab continues the line before (RFC 5545, 3.1).
    private static func unfolded(_ text: String) -> [(number: Int, line: Token)] {
        var result: [(number: Int, line: Token)] = []
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
        for (index, line) in lines.enumerated() {
            if let first = line.first, first == " " || first == "\t", !result.isEmpty {
                result[result.count - 1].line.text += line.dropFirst()
            } else if line.contains(where: { !$0.isWhitespace }) {
                result.append((index + 1, Token(text: String(line.drop { $0 == "\u{FEFF}" }), column: 1)))
            }
        }
        return result
    }

    /// Returns the IANA names of the zones that a file defines, keyed by the names in the file, and the names of all
    /// zones that the file defines.
    ///
    /// An IANA name is known only if the definition contains X-LIC-LOCATION. The rules in the definitions are not read,
    /// because the zone files of the machine have the rules.
    private static func zones(
        in lines: [(number: Int, line: Token)]
    ) -> (names: [String: String], defined: Set<String>) {
        var result: (names: [String: String], defined: Set<String>) = ([:], [])
        var name: String?
        for (_, line) in lines {
            guard let (head, value) = line.property else { continue }
            switch head[0].text.uppercased() {
            case "BEGIN" where value.text.uppercased() == "VTIMEZONE": name = nil
            case "TZID":
                name = value.text
                result.defined.insert(value.text)
            case "X-LIC-LOCATION": if let name { result.names[name] = value.text }
            default: break
            }
        }
        return result
    }

    private mutating func read(_ line: Token) throws(ScheduleTextError) {
        guard let (head, value) = line.property else {
            if open.isEmpty { throw line.error("BEGIN:VEVENT or BEGIN:VCALENDAR") }
            return
        }
        let name = head[0].text.uppercased()
        let component = value.text.uppercased().trimmingEnd
        switch (name, open) {
        case ("BEGIN", _):
            open.append(component)
            if open == ["VEVENT"] || open == ["VCALENDAR", "VEVENT"] {
                var properties = RecurrenceParser()
                (properties.zoneNames, properties.definedZones) = (zoneNames, definedZones)
                events.append(Event(properties: properties))
            } else if !["VCALENDAR", "VTIMEZONE", "STANDARD", "DAYLIGHT"].contains(component) {
                ignored.append(component)
            }
        case ("END", _):
            guard open.last == component else { throw line.error(open.last.map { "END:\($0)" } ?? "BEGIN:VEVENT") }
            open.removeLast()
        case (_, ["VEVENT"]), (_, ["VCALENDAR", "VEVENT"]):
            try events[events.count - 1].read(name, head, value, line, &ignored)
        case (_, []): throw line.error("BEGIN:VEVENT or BEGIN:VCALENDAR")
        default: break
        }
    }

    private func schedule(_ end: Token) throws(ScheduleTextError) -> RecurrenceText {
        if let name = open.last { throw end.error("END:\(name)") }
        let masters = events.filter { $0.replaced == nil }
        guard masters.count == 1, var event = masters.first else {
            throw end.error(
                masters.isEmpty
                    ? "a VEVENT"
                    : "one event; there are \(masters.count), and the first are: "
                        + masters.prefix(5).map(\.summary).joined(separator: ", "))
        }
        guard !event.isCancelled else { throw end.error("an event that is not cancelled") }
        try event.apply(events.filter { $0.replaced != nil && $0.identifier == event.identifier }, end)
        let read = try event.properties.finished(nil, end)
        return RecurrenceText(schedule: read.schedule, ignored: ignored + read.ignored)
    }
}

extension ICalendar.Event {
    fileprivate mutating func read(
        _ name: String, _ head: [Token], _ value: Token, _ line: Token, _ ignored: inout [String]
    ) throws(ScheduleTextError) {
        switch name {
        case "DTSTART", "RDATE", "EXDATE", "EXRULE": try properties.property(line)
        case "RRULE":
            try properties.property(line)
            try properties.checkRule()
        case "RECURRENCE-ID": replaced = try properties.moments(head, value, isList: false)[0]
        case "UID": identifier = value.text
        case "STATUS" where value.text.uppercased().trimmingEnd == "CANCELLED": isCancelled = true
        default:
            if name == "SUMMARY" { summary = value.text }
            ignored.append(name)
        }
    }

    /// Moves the occurrences that other events replace, and leaves out those that other events cancel.
    fileprivate mutating func apply(_ changes: [Self], _ end: Token) throws(ScheduleTextError) {
        var (former, new): (Set<RecurrenceParser.Moment>, Set<RecurrenceParser.Moment>) = ([], [])
        for change in changes {
            guard let replaced = change.replaced, let start = change.properties.start ?? change.replaced,
                [replaced, start].allSatisfy({
                    $0.isUTC == properties.start?.isUTC && $0.isDate == properties.start?.isDate
                }), [nil, properties.timeZone].contains(change.properties.timeZone)
            else {
                throw end.error(
                    "RECURRENCE-ID and DTSTART of changed occurrences in the form and zone of the event's DTSTART")
            }
            former.insert(replaced)
            if !change.isCancelled { new.insert(start) }
        }
        // If an occurrence moves to the former time of another one, that time stays due.
        properties.exceptions += former.subtracting(new)
        properties.extras += new.subtracting(former)
    }
}

extension ScheduleTextError {
    fileprivate func inLine(_ number: Int) -> Self {
        Self(column: column, found: found, expected: "\(expected) (line \(number))")
    }
}

extension String {
    /// The text without white space at its end.
    fileprivate var trimmingEnd: String {
        var result = self[...]
        while result.last?.isWhitespace == true { result.removeLast() }
        return String(result)
    }
}
