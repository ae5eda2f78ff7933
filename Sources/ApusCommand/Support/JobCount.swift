/// A number of jobs in words: `1 job`, `2 jobs`.
func jobCount(_ count: Int) -> String { "\(count) \(count == 1 ? "job" : "jobs")" }
