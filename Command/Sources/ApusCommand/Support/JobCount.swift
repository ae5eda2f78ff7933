/// A number of jobs in words: `1 job`, `2 jobs`.
package func jobCount(_ count: Int) -> String { "\(count) \(count == 1 ? "job" : "jobs")" }
