/// What a repeating timer does about ticks that fell due while its consumer was busy or its process did not run.
///
/// In the timelines one character is a fifth of the interval; `|` is a due instant, `1` a tick with its number, `=` the
/// handler at work. The handler of tick 2 takes 2.4 intervals.
///
/// ```
/// due        |    |    |    |    |    |    |    |
///            0    1    2    3    4    5    6    7
/// coalesce        1    2============4=   5    6    7    tick 4 at once, it missed 1; then in phase
/// skip            1    2============     5    6    7    tick 5 missed 2
/// delay           1    2============3=   4    5    6    in a new phase, one interval after the late tick
/// burst           1    2============34   5    6    7    nothing is lost, the late ones come at once
/// ```
public struct MissedTickPolicy: Sendable, Hashable {
    enum Kind { case coalesce, skip, delay, burst }
    let kind: Kind

    /// The late ticks become one, delivered as soon as the consumer is free, which says how many were missed. The
    /// default.
    ///
    /// ```
    /// due        |    |    |    |    |    |    |    |
    ///            0    1    2    3    4    5    6    7
    /// coalesce        1    2===========4    5    6    7
    /// ```
    public static var coalesce: MissedTickPolicy { MissedTickPolicy(kind: .coalesce) }

    /// Ticks that fell due while the consumer was busy are dropped; the next one comes in phase and says how many.
    ///
    /// ```
    /// due        |    |    |    |    |    |    |    |
    ///            0    1    2    3    4    5    6    7
    /// skip            1    2===========     5    6    7
    /// ```
    public static var skip: MissedTickPolicy { MissedTickPolicy(kind: .skip) }

    /// The late tick is delivered as soon as the consumer is free, and the phase starts anew from there.
    ///
    /// Lateness of less than an interval that is not the consumer's doing (tolerance, a busy machine) keeps the phase.
    ///
    /// ```
    /// due        |    |    |    |    |    |    |    |
    ///            0    1    2    3    4    5    6    7
    /// delay           1    2===========3    4    5    6
    /// ```
    public static var delay: MissedTickPolicy { MissedTickPolicy(kind: .delay) }

    /// Every tick is delivered, the late ones one after another as fast as the consumer takes them.
    ///
    /// ```
    /// due        |    |    |    |    |    |    |    |
    ///            0    1    2    3    4    5    6    7
    /// burst           1    2===========34   5    6    7
    /// ```
    public static var burst: MissedTickPolicy { MissedTickPolicy(kind: .burst) }
}
