import Foundation
import Testing

@Suite("Links of the documents")
struct LinkTests {
    @Test("every relative link of a Markdown file leads to a file and to a heading", arguments: Markdown.paths)
    func links(path: String) throws {
        for objection in try Markdown.objections(to: Documents.read(path), at: path) {
            Issue.record("\(path), \(objection)")
        }
    }

    @Test("every document that a file of the project names is there")
    func namedDocuments() throws {
        for file in try Markdown.namingFiles() {
            for name in Markdown.namedDocuments(in: file.text) {
                let isThere = Markdown.exists(name)
                #expect(isThere, "\(file.path) names \(name)")
            }
        }
    }

    @Test("the index of the documents lists each of them once")
    func index() throws {
        let links = Markdown.links(in: try Documents.read("docs/README.md")).map(\.target)
        for path in Markdown.paths where path.hasPrefix("docs/") && path != "docs/README.md" {
            let count = links.count { $0 == path.dropFirst("docs/".count) }
            #expect(count == 1, "\(path) is listed \(count) times")
        }
    }

    @Test("the README has fewer than 150 lines")
    func readmeLength() throws {
        let lines = try Documents.read("README.md").split(separator: "\n", omittingEmptySubsequences: false).count - 1
        #expect(lines < 150)
    }

    @Test("a link to a file or a heading that is not there is rejected, and one in code is no link")
    func rejectsLinks() throws {
        let document = """
            # A heading, `code` and (brackets)
            ## Twice
            ## Twice
            [one](#a-heading-code-and-brackets) [two](#twice-1) [three](docs/jobs.md#missed-runs) [four](docs)
            `[code](nowhere.md)` [web](https://example.com/a(b:c:)) ![picture](docs/pictures/dashboard.png)
            ```sh
            [code](nowhere.md)
            # no heading
            ```
            """
        #expect(try Markdown.objections(to: document, at: "README.md") == [])
        for link in [
            "(#no-heading)", "(#twice-2)", "(nowhere.md)", "(docs/jobs.md#nothing)", "(docs/Jobs.md)", "(../outside)",
            "(docs#heading)",
        ] {
            let objections = try Markdown.objections(to: document + "\n[bad]\(link)", at: "README.md")
            #expect(objections.count == 1, "\(link)")
            #expect(objections.first?.hasPrefix("line 10: ") == true, "\(link)")
        }
        #expect(
            Markdown.namedDocuments(in: "see docs/jobs.md, `docs/a-b.md#c` and x/docs/no.md") == [
                "docs/jobs.md", "docs/a-b.md",
            ])
    }
}
