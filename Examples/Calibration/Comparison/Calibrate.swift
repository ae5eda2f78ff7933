#if os(Linux)
    import ArgumentParser
    import Foundation

    /// The command behind `Scripts/calibrate`.
    @main
    struct Calibrate: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "Scripts/calibrate",
            abstract: "Compare a recording of the calibration app with the simulated phone.",
            discussion: """
                The app in Examples/Calibration/App records how a phone behaves. Of each question the table says whether \
                the answer of the phone agrees with that of the simulated phone, and which rule of docs/phone-rules.md \
                it is about.

                The exit status is 0 if no answer differs, 1 if one does, 64 for a file that is not a recording, and 70 \
                for other errors.
                """)

        @Flag(help: "Print the recording of the simulated phone, instead of comparing a file.")
        var simulation = false

        @Argument(help: "The file recording.json of the app, or of another phone.")
        var file: String?

        func validate() throws {
            guard simulation == (file == nil) else {
                throw ValidationError("give the file of a recording, or --simulation")
            }
        }

        func run() throws {
            // A pipe can be read only once.
            let phone: Recording?
            do { phone = try file.map(Recording.read) } catch { throw ValidationError("\(error)") }
            guard try compare(phone) else { throw ExitCode.failure }
        }

        /// Prints the comparison, or without `phone` the recording of the simulated phone; returns whether no answer
        /// differs.
        ///
        /// - Throws: The exit status 70, after the reason was printed as an error.
        private func compare(_ phone: Recording?) throws(ExitCode) -> Bool {
            do {
                let simulated = try MainActor.assumeIsolated { try Simulation.recording() }
                guard let phone else {
                    let encoder = JSONEncoder()
                    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
                    print(String(decoding: try encoder.encode(simulated), as: UTF8.self))
                    return true
                }
                let comparison = Comparison(phone, with: simulated)
                print(comparison.table)
                return comparison.count(.differs) == 0
            } catch {
                FileHandle.standardError.write(Data("Error: \(error)\n".utf8))
                throw ExitCode(70)
            }
        }
    }
#endif
