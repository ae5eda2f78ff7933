import ApusJobs
import ArgumentParser

/// The number of a run, as `apus history` shows it.
struct OccurrenceArgument: ExpressibleByArgument {
    let number: Int

    init?(argument: String) {
        guard let number = OccurrenceText.parse(argument) else { return nil }
        self.number = number
    }
}
