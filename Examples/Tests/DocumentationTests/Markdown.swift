import Foundation

/// The Markdown files of the project, their headings and their links.
enum Markdown {
    /// The folders that do not contain the project's own text.
    private static let excludedFolders: Set<String> = ["node_modules", "results"]

    /// The paths of all Markdown files from the root of the project, without hidden folders such as those of builds.
    static let paths: [String] = files { $0.hasSuffix(".md") }

    /// Returns the sorted paths below the root that `isWanted` accepts.
    private static func files(_ isWanted: (String) -> Bool) -> [String] {
        let root = Documents.root
        guard
            let enumerator = FileManager.default.enumerator(
                at: root, includingPropertiesForKeys: [.isDirectoryKey], options: [.skipsHiddenFiles])
        else { return [] }
        var paths: [String] = []
        while let url = enumerator.nextObject() as? URL {
            if excludedFolders.contains(url.lastPathComponent) { enumerator.skipDescendants() }
            let path = String(url.standardizedFileURL.path.dropFirst(root.path.count + 1))
            if isWanted(path) { paths.append(path) }
        }
        return paths.sorted()
    }

    struct Link: Hashable {
        var target: String
        /// The number of the line, from 1.
        var line: Int
    }

    /// Returns the lines of text without those of code, numbered from 1.
    private static func textLines(_ document: String) -> [(number: Int, text: String)] {
        var isCode = false
        var lines: [(Int, String)] = []
        for (index, line) in document.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.drop(while: { $0 == " " }).hasPrefix("```") {
                isCode.toggle()
            } else if !isCode {
                lines.append((index + 1, String(line)))
            }
        }
        return lines
    }

    /// Returns the targets of all links and pictures, without those in code.
    static func links(in document: String) -> [Link] {
        textLines(document).flatMap { number, line in
            // Text between backquotes has an odd index.
            let text = line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .map { $0.offset.isMultiple(of: 2) ? String($0.element) : "code" }.joined()
            return text.ranges(of: "](").map { Link(target: target(in: text[$0.upperBound...]), line: number) }
        }
    }

    /// Returns the target at the beginning of a text, up to its closing parenthesis; a target may contain pairs of
    /// parentheses.
    private static func target(in text: Substring) -> String {
        var depth = 0
        return String(
            text.prefix { character in
                if character == "(" { depth += 1 }
                if character == ")" { depth -= 1 }
                return depth >= 0
            })
    }

    /// Returns the anchors of a document's headings, as code hosts generate them.
    ///
    /// They are in lower case, without punctuation, with hyphens for spaces, and with a number for a repeated heading.
    static func anchors(in document: String) -> Set<String> {
        var anchors: Set<String> = []
        var counts: [String: Int] = [:]
        for (_, line) in textLines(document) where line.hasPrefix("#") {
            let heading = line.drop { $0 == "#" }
            guard heading.hasPrefix(" ") else { continue }
            let slug = String(
                heading.dropFirst().lowercased().filter { $0.isLetter || $0.isNumber || "_- ".contains($0) }
                    .map { $0 == " " ? "-" : $0 })
            let count = counts[slug, default: 0]
            counts[slug] = count + 1
            anchors.insert(count == 0 ? slug : "\(slug)-\(count)")
        }
        return anchors
    }

    /// Returns whether there is a file or folder with exactly this path, including letter case.
    static func exists(_ path: String) -> Bool {
        var folder = Documents.root
        for part in path.split(separator: "/") {
            guard (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.contains(String(part)) == true
            else { return false }
            folder.append(path: String(part))
        }
        return true
    }

    /// Returns a message for each broken relative link of a document.
    static func objections(to document: String, at path: String) throws -> [String] {
        try links(in: document).compactMap { link in
            guard link.target.firstMatch(of: /^[a-z]+:/) == nil else { return nil }
            let parts = link.target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            guard let file = file(String(parts[0]), from: path) else {
                return "line \(link.line): \(link.target) leads out of the project"
            }
            guard exists(file) else { return "line \(link.line): there is no \(file)" }
            guard parts.count == 2 else { return nil }
            let target = file == path ? document : file.hasSuffix(".md") ? try Documents.read(file) : ""
            guard anchors(in: target).contains(String(parts[1])) else {
                return "line \(link.line): \(file) has no heading #\(parts[1])"
            }
            return nil
        }
    }

    /// Returns the path from the root to which a link of the document at `path` leads; `nil` if that is outside of the
    /// project.
    private static func file(_ target: String, from path: String) -> String? {
        guard !target.isEmpty else { return path }
        var parts = path.split(separator: "/").dropLast().map(String.init)
        for part in target.split(separator: "/") where part != "." {
            guard part == ".." else {
                parts.append(String(part))
                continue
            }
            guard parts.popLast() != nil else { return nil }
        }
        return parts.joined(separator: "/")
    }

    // MARK: Names in other files

    private static let namingKinds: Set<String> = ["swift", "md", "yaml", "yml", "c", "h", "py", "js", "html", "txt"]

    /// Returns the files that may contain paths of documents: sources, tests, scripts, the Makefile.
    static func namingFiles() throws -> [(path: String, text: String)] {
        let paths = files { path in
            namingKinds.contains(URL(filePath: path).pathExtension)
                || path.hasPrefix("Scripts/") && !path.hasSuffix(".pyc") || path == "Makefile"
        }
        // The tests of the links contain samples of paths that do not exist.
        return try (paths + [".ci/run"]).filter { !$0.hasSuffix("LinkTests.swift") }.compactMap { path in
            let text = try Data(contentsOf: Documents.root.appending(path: path))
            guard text.firstRange(of: Data("docs/".utf8)) != nil else { return nil }
            return (path, String(decoding: text, as: UTF8.self))
        }
    }

    /// Returns the documents whose paths from the root of the project a text contains, such as `docs/jobs.md`.
    static func namedDocuments(in text: String) -> [String] {
        text.matches(of: /(?:^|[^\/\w.])(docs\/[\w-]+\.(?:md|yaml))/).map { String($0.1) }
    }
}
