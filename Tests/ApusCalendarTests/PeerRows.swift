/// The expectations of other projects' tests: facts only, with the commit, the licence and the file of each project.
///
/// A row has the notation (`spring` is Spring's dialect of cron), the zone, the policies for a gap and a repeated hour
/// or `-` for the default ones, the expression, and the expectations: an instant in UTC and the occurrences after it.
/// A `= …` is another expression with the same meaning, and a `not …` is an instant at which nothing is due. A row of
/// `words` has the rule of RFC 5545 that the phrase means; a time of day was added to phrases without one. If Apus
/// differs, `≠` precedes the key of the reason in `PeerTests.differences`.
enum PeerRows {
    static let text = #"""
        # HangfireIO/Cronos aeb3bff (MIT), CronExpressionFacts.cs
        cron | UTC | - | -1 * * * * * | refused
        cron | UTC | - | - * * * * * | refused
        cron | UTC | - | 5- * * * * * | refused
        cron | UTC | - | , * * * * * | refused
        cron | UTC | - | ,1 * * * * * | refused
        cron | UTC | - | / * * * * * | refused
        cron | UTC | - | */ * * * * * | refused
        cron | UTC | - | 1/ * * * * * | refused
        cron | UTC | - | 1/0 * * * * * | refused
        cron | UTC | - | 1/60 * * * * * | refused ≠ step
        cron | UTC | - | 1/k * * * * * | refused
        cron | UTC | - | 1k * * * * * | refused
        cron | UTC | - | # * * * * * | refused
        cron | UTC | - | *#1 * * * * * | refused
        cron | UTC | - | 0#2 * * * * * | refused
        cron | UTC | - | L * * * * * | refused
        cron | UTC | - | l * * * * * | refused
        cron | UTC | - | W * * * * * | refused
        cron | UTC | - | w * * * * * | refused
        cron | UTC | - | LW * * * * * | refused
        cron | UTC | - | lw * * * * * | refused
        cron | UTC | - | 1/2147483648 * * * * * | refused
        cron | UTC | - | 60 * * * * | refused
        cron | UTC | - | -1 * * * * | refused
        cron | UTC | - | - * * * * | refused
        cron | UTC | - | 7- * * * * | refused
        cron | UTC | - | , * * * * | refused
        cron | UTC | - | ,1 * * * * | refused
        cron | UTC | - | */ * * * * | refused
        cron | UTC | - | / * * * * | refused
        cron | UTC | - | 1/ * * * * | refused
        cron | UTC | - | 1/0 * * * * | refused
        cron | UTC | - | 1/60 * * * * | refused ≠ step
        cron | UTC | - | 1/k * * * * | refused
        cron | UTC | - | 1k * * * * | refused
        cron | UTC | - | # * * * * | refused
        cron | UTC | - | *#1 * * * * | refused
        cron | UTC | - | 5#3 * * * * | refused
        cron | UTC | - | L * * * * | refused
        cron | UTC | - | l * * * * | refused
        cron | UTC | - | W * * * * | refused
        cron | UTC | - | w * * * * | refused
        cron | UTC | - | lw * * * * | refused
        cron | UTC | - | * 60 * * * * | refused
        cron | UTC | - | * -1 * * * * | refused
        cron | UTC | - | * - * * * * | refused
        cron | UTC | - | * 7- * * * * | refused
        cron | UTC | - | * , * * * * | refused
        cron | UTC | - | * ,1 * * * * | refused
        cron | UTC | - | * */ * * * * | refused
        cron | UTC | - | * / * * * * | refused
        cron | UTC | - | * 1/ * * * * | refused
        cron | UTC | - | * 1/0 * * * * | refused
        cron | UTC | - | * 1/60 * * * * | refused ≠ step
        cron | UTC | - | * 1/k * * * * | refused
        cron | UTC | - | * 1k * * * * | refused
        cron | UTC | - | * # * * * * | refused
        cron | UTC | - | * *#1 * * * * | refused
        cron | UTC | - | * 5#3 * * * * | refused
        cron | UTC | - | * L * * * * | refused
        cron | UTC | - | * l * * * * | refused
        cron | UTC | - | * W * * * * | refused
        cron | UTC | - | * w * * * * | refused
        cron | UTC | - | * LW * * * * | refused
        cron | UTC | - | * lw * * * * | refused
        cron | UTC | - | * 25 * * * | refused
        cron | UTC | - | * -1 * * * | refused
        cron | UTC | - | * - * * * | refused
        cron | UTC | - | * 0- * * * | refused
        cron | UTC | - | * , * * * | refused
        cron | UTC | - | * ,1 * * * | refused
        cron | UTC | - | * / * * * | refused
        cron | UTC | - | * 1/ * * * | refused
        cron | UTC | - | * 1/0 * * * | refused
        cron | UTC | - | * 1/24 * * * | refused ≠ step
        cron | UTC | - | * 1/k * * * | refused
        cron | UTC | - | * 1k * * * | refused
        cron | UTC | - | * # * * * | refused
        cron | UTC | - | * *#2 * * * | refused
        cron | UTC | - | * 10#1 * * * | refused
        cron | UTC | - | * L * * * | refused
        cron | UTC | - | * l * * * | refused
        cron | UTC | - | * W * * * | refused
        cron | UTC | - | * w * * * | refused
        cron | UTC | - | * LW * * * | refused
        cron | UTC | - | * lw * * * | refused
        cron | UTC | - | * * 25 * * * | refused
        cron | UTC | - | * * -1 * * * | refused
        cron | UTC | - | * * - * * * | refused
        cron | UTC | - | * * 0- * * * | refused
        cron | UTC | - | * * , * * * | refused
        cron | UTC | - | * * ,1 * * * | refused
        cron | UTC | - | * * / * * * | refused
        cron | UTC | - | * * 1/ * * * | refused
        cron | UTC | - | * * 1/0 * * * | refused
        cron | UTC | - | * * 1/24 * * * | refused ≠ step
        cron | UTC | - | * * 1/k * * * | refused
        cron | UTC | - | * * 1k * * * | refused
        cron | UTC | - | * * # * * * | refused
        cron | UTC | - | * * *#2 * * * | refused
        cron | UTC | - | * * 10#1 * * * | refused
        cron | UTC | - | * * L * * * | refused
        cron | UTC | - | * * l * * * | refused
        cron | UTC | - | * * W * * * | refused
        cron | UTC | - | * * w * * * | refused
        cron | UTC | - | * * LW * * * | refused
        cron | UTC | - | * * lw * * * | refused
        cron | UTC | - | * * 32 * * | refused
        cron | UTC | - | * * 10-32 * * | refused
        cron | UTC | - | * * 31-32 * * | refused
        cron | UTC | - | * * -1 * * | refused
        cron | UTC | - | * * - * * | refused
        cron | UTC | - | * * 8- * * | refused
        cron | UTC | - | * * , * * | refused
        cron | UTC | - | * * ,1 * * | refused
        cron | UTC | - | * * / * * | refused
        cron | UTC | - | * * 1/ * * | refused
        cron | UTC | - | * * 1/0 * * | refused
        cron | UTC | - | * * 1/32 * * | refused ≠ step
        cron | UTC | - | * * 1/k * * | refused
        cron | UTC | - | * * 1m * * | refused
        cron | UTC | - | * * T * * | refused
        cron | UTC | - | * * MON * * | refused
        cron | UTC | - | * * mon * * | refused
        cron | UTC | - | * * # * * | refused
        cron | UTC | - | * * *#3 * * | refused
        cron | UTC | - | * * 4#1 * * | refused
        cron | UTC | - | * * W * * | refused
        cron | UTC | - | * * w * * | refused
        cron | UTC | - | * * 1-2W * * | refused
        cron | UTC | - | * * 1-2w * * | refused
        cron | UTC | - | * * 1,2W * * | refused ≠ list
        cron | UTC | - | * * 1,2w * * | refused ≠ list
        cron | UTC | - | * * 1/2W * * | refused
        cron | UTC | - | * * 1/2w * * | refused
        cron | UTC | - | * * 1-2/2W * * | refused
        cron | UTC | - | * * 1-2/2w * * | refused
        cron | UTC | - | * * 1LW * * | refused
        cron | UTC | - | * * 1lw * * | refused
        cron | UTC | - | * * L-31 * * | refused
        cron | UTC | - | * * l-31 * * | refused
        cron | UTC | - | * * * 32 * * | refused
        cron | UTC | - | * * * 10-32 * * | refused
        cron | UTC | - | * * * 31-32 * * | refused
        cron | UTC | - | * * * -1 * * | refused
        cron | UTC | - | * * * - * * | refused
        cron | UTC | - | * * * 8- * * | refused
        cron | UTC | - | * * * , * * | refused
        cron | UTC | - | * * * ,1 * * | refused
        cron | UTC | - | * * * / * * | refused
        cron | UTC | - | * * * 1/ * * | refused
        cron | UTC | - | * * * 1/0 * * | refused
        cron | UTC | - | * * * 1/32 * * | refused ≠ step
        cron | UTC | - | * * * 1/k * * | refused
        cron | UTC | - | * * * 1m * * | refused
        cron | UTC | - | * * * T * * | refused
        cron | UTC | - | * * * MON * * | refused
        cron | UTC | - | * * * mon * * | refused
        cron | UTC | - | * * * # * * | refused
        cron | UTC | - | * * * *#3 * * | refused
        cron | UTC | - | * * * 4#1 * * | refused
        cron | UTC | - | * * * W * * | refused
        cron | UTC | - | * * * w * * | refused
        cron | UTC | - | * * * 1-2W * * | refused
        cron | UTC | - | * * * 1-2w * * | refused
        cron | UTC | - | * * * 1,2W * * | refused ≠ list
        cron | UTC | - | * * * 1,2w * * | refused ≠ list
        cron | UTC | - | * * * 1/2W * * | refused
        cron | UTC | - | * * * 1/2w * * | refused
        cron | UTC | - | * * * 1-2/2W * * | refused
        cron | UTC | - | * * * 1-2/2w * * | refused
        cron | UTC | - | * * * 1LW * * | refused
        cron | UTC | - | * * * 1lw * * | refused
        cron | UTC | - | * * * L-31 * * | refused
        cron | UTC | - | * * * l-31 * * | refused
        cron | UTC | - | * * * 13 * | refused
        cron | UTC | - | * * * -1 * | refused
        cron | UTC | - | * * * - * | refused
        cron | UTC | - | * * * 2- * | refused
        cron | UTC | - | * * * , * | refused
        cron | UTC | - | * * * ,1 * | refused
        cron | UTC | - | * * * / * | refused
        cron | UTC | - | * * * */ * | refused
        cron | UTC | - | * * * 1/ * | refused
        cron | UTC | - | * * * 1/0 * | refused
        cron | UTC | - | * * * 1/13 * | refused ≠ step
        cron | UTC | - | * * * 1/k * | refused
        cron | UTC | - | * * * 1k * | refused
        cron | UTC | - | * * * # * | refused
        cron | UTC | - | * * * *#1 * | refused
        cron | UTC | - | * * * */2# * | refused
        cron | UTC | - | * * * 2#2 * | refused
        cron | UTC | - | * * * L * | refused
        cron | UTC | - | * * * l * | refused
        cron | UTC | - | * * * W * | refused
        cron | UTC | - | * * * w * | refused
        cron | UTC | - | * * * LW * | refused
        cron | UTC | - | * * * lw * | refused
        cron | UTC | - | * * * * 13 * | refused
        cron | UTC | - | * * * * -1 * | refused
        cron | UTC | - | * * * * - * | refused
        cron | UTC | - | * * * * 2- * | refused
        cron | UTC | - | * * * * , * | refused
        cron | UTC | - | * * * * ,1 * | refused
        cron | UTC | - | * * * * / * | refused
        cron | UTC | - | * * * * */ * | refused
        cron | UTC | - | * * * * 1/ * | refused
        cron | UTC | - | * * * * 1/0 * | refused
        cron | UTC | - | * * * * 1/13 * | refused ≠ step
        cron | UTC | - | * * * * 1/k * | refused
        cron | UTC | - | * * * * 1k * | refused
        cron | UTC | - | * * * * # * | refused
        cron | UTC | - | * * * * *#1 * | refused
        cron | UTC | - | * * * * */2# * | refused
        cron | UTC | - | * * * * 2#2 * | refused
        cron | UTC | - | * * * * L * | refused
        cron | UTC | - | * * * * l * | refused
        cron | UTC | - | * * * * W * | refused
        cron | UTC | - | * * * * w * | refused
        cron | UTC | - | * * * * LW * | refused
        cron | UTC | - | * * * * lw * | refused
        cron | UTC | - | * * * * 8 | refused
        cron | UTC | - | * * * * -1 | refused
        cron | UTC | - | * * * * - | refused
        cron | UTC | - | * * * * 3- | refused
        cron | UTC | - | * * * * , | refused
        cron | UTC | - | * * * * ,1 | refused
        cron | UTC | - | * * * * / | refused
        cron | UTC | - | * * * * */ | refused
        cron | UTC | - | * * * * 1/ | refused
        cron | UTC | - | * * * * 1/0 | refused
        cron | UTC | - | * * * * 1/8 | refused ≠ step
        cron | UTC | - | * * * * # | refused
        cron | UTC | - | * * * * 0# | refused
        cron | UTC | - | * * * * 5#6 | refused
        cron | UTC | - | * * * * SUN#6 | refused
        cron | UTC | - | * * * * sun#6 | refused
        cron | UTC | - | * * * * SUN#050 | refused
        cron | UTC | - | * * * * sun#050 | refused
        cron | UTC | - | * * * * 0#0 | refused
        cron | UTC | - | * * * * SUT | refused
        cron | UTC | - | * * * * sut | refused
        cron | UTC | - | * * * * SU0 | refused
        cron | UTC | - | * * * * SUNDAY | refused ≠ names
        cron | UTC | - | * * * * L | refused
        cron | UTC | - | * * * * l | refused
        cron | UTC | - | * * * * W | refused
        cron | UTC | - | * * * * w | refused
        cron | UTC | - | * * * * LW | refused
        cron | UTC | - | * * * * lw | refused
        cron | UTC | - | * * * * * 8 | refused
        cron | UTC | - | * * * * * -1 | refused
        cron | UTC | - | * * * * * - | refused
        cron | UTC | - | * * * * * 3- | refused
        cron | UTC | - | * * * * * , | refused
        cron | UTC | - | * * * * * ,1 | refused
        cron | UTC | - | * * * * * / | refused
        cron | UTC | - | * * * * * */ | refused
        cron | UTC | - | * * * * * 1/ | refused
        cron | UTC | - | * * * * * 1/0 | refused
        cron | UTC | - | * * * * * 1/8 | refused ≠ step
        cron | UTC | - | * * * * * # | refused
        cron | UTC | - | * * * * * 0# | refused
        cron | UTC | - | * * * * * 5#6 | refused
        cron | UTC | - | * * * * * SUN#6 | refused
        cron | UTC | - | * * * * * sun#6 | refused
        cron | UTC | - | * * * * * SUN#050 | refused
        cron | UTC | - | * * * * * sun#050 | refused
        cron | UTC | - | * * * * * 0#0 | refused
        cron | UTC | - | * * * * * SUT | refused
        cron | UTC | - | * * * * * sut | refused
        cron | UTC | - | * * * * * SU0 | refused
        cron | UTC | - | * * * * * SUNDAY | refused ≠ names
        cron | UTC | - | * * * * * L | refused
        cron | UTC | - | * * * * * l | refused
        cron | UTC | - | * * * * * W | refused
        cron | UTC | - | * * * * * w | refused
        cron | UTC | - | * * * * * LW | refused
        cron | UTC | - | * * * * * lw | refused
        cron | UTC | - | * * * | refused
        cron | UTC | - | * * * * * * * | refused ≠ years
        cron | UTC | - | * * * * | refused
        cron | UTC | - | @ | refused
        cron | UTC | - | @invalid | refused
        cron | UTC | - | @yearl | refused
        cron | UTC | - | @yearly ! | refused
        cron | UTC | - | @every_hour | refused
        cron | UTC | - | @@daily | refused
        cron | UTC | - | @yeannually | refused
        cron | UTC | - | @yweekly | refused
        cron | UTC | - | @ymonthly | refused
        cron | UTC | - | @ydaily | refused
        cron | UTC | - | @ymidnight | refused
        cron | UTC | - | @yhourly | refused
        cron | UTC | - | @yevery_second | refused
        cron | UTC | - | @yevery_minute | refused
        cron | UTC | - | @every_minsecond | refused
        cron | UTC | - | @annuall | refused
        cron | UTC | - | @dail | refused
        cron | UTC | - | @hour | refused
        cron | UTC | - | @midn | refused
        cron | UTC | - | @week | refused
        cron | UTC | - | @dai | refused
        cron | UTC | - | @a | refused
        cron | UTC | - | @everysecond | refused
        cron | UTC | - | */60 * * * * | refused ≠ step
        spring | America/New_York | - | * * * * * * | 2026-11-24 22:34:59 > 22:35:00 ; 1900-02-20 21:45:59 > 21:46:00 ; 2000-02-28 21:45:59 > 21:46:00 ; 2000-12-31 21:45:59 > 21:46:00
        spring | America/New_York | - | 20 * * * * * | 2026-11-24 22:34:59 > 22:35:20 ; 2026-11-24 22:35:19 > 22:35:20 ; 2026-11-24 22:35:39 > 22:36:20
        spring | America/New_York | - | 10-30 * * * * * | 2026-11-24 22:35:08 > 22:35:10 ; 2026-11-24 22:35:09 > 22:35:10 ; 2026-11-24 22:35:19 > 22:35:20 ; 2026-11-24 22:35:29 > 22:35:30 ; 2026-11-24 22:35:30 > 22:36:10
        spring | America/New_York | - | */20 * * * * * | 2026-11-24 22:34:59 > 22:35:00 ; 2026-11-24 22:35:10 > 22:35:20 ; 2026-11-24 22:35:19 > 22:35:20 ; 2026-11-24 22:35:24 > 22:35:40 ; 2026-11-24 22:35:58 > 22:36:00
        spring | America/New_York | - | 10/5 * * * * * | 2026-11-24 22:34:59 > 22:35:10 ; 2026-11-24 22:35:11 > 22:35:15 ; 2026-11-24 22:35:58 > 22:36:10
        spring | America/New_York | - | 0 * * * * * | 2026-11-24 22:35:58 > 22:36:00 ; 2026-11-24 22:59:58 > 23:00:00 ; 2017-01-14 17:58:58 > 17:59:00
        spring | America/New_York | - | 5-8,19,20,35-41 * * * * * | 2026-11-24 22:35:00 > 22:35:05 ; 2026-11-24 22:35:05 > 22:35:06 ; 2026-11-24 22:35:17 > 22:35:19 ; 2026-11-24 22:35:18 > 22:35:19 ; 2026-11-24 22:35:19 > 22:35:20 ; 2026-11-24 22:35:20 > 22:35:35 ; 2026-11-24 22:35:35 > 22:35:36 ; 2026-11-24 22:35:41 > 22:36:05
        spring | America/New_York | - | 55-5 * * * * ? | 2026-11-24 22:35:41 > 22:35:55 ; 2026-11-24 22:35:56 > 22:35:57 ; 2026-11-24 22:35:58 > 22:35:59 ; 2026-11-24 22:35:59 > 22:36:00 ; 2026-11-24 22:36:04 > 22:36:05 ; 2026-11-24 22:36:05 > 22:36:55
        spring | America/New_York | - | 57-5/3 * * * * ? | 2026-11-24 22:36:05 > 22:36:57 ; 2026-11-24 22:36:57 > 22:37:00 ; 2026-11-24 22:37:00 > 22:37:03 ; 2026-11-24 22:37:03 > 22:37:57
        spring | America/New_York | - | 59-58 * * * * ? | 2026-11-24 22:37:03 > 22:37:04 ; 2026-11-24 22:37:57 > 22:37:58 ; 2026-11-24 22:37:58 > 22:37:59 ; 2026-11-24 22:37:59 > 22:38:00
        spring | America/New_York | - | * 12 * * * * | 2026-11-24 20:04:59 > 20:12:00 ; 2026-11-24 20:11:59 > 20:12:00 ; 2026-11-24 20:58:59 > 21:12:00
        spring | America/New_York | - | * 31-39 * * * * | 2026-11-24 19:59:59 > 20:31:00 ; 2026-11-24 20:29:59 > 20:31:00 ; 2026-11-24 20:30:59 > 20:31:00 ; 2026-11-24 20:38:59 > 20:39:00 ; 2026-11-24 20:58:59 > 21:31:00
        spring | America/New_York | - | * */20 * * * * | 2026-11-24 19:59:59 > 20:00:00 ; 2026-11-24 20:09:59 > 20:20:00 ; 2026-11-24 20:58:59 > 21:00:00
        spring | America/New_York | - | * 10/5 * * * * | 2026-11-24 19:59:59 > 20:10:00 ; 2026-11-24 20:13:59 > 20:15:00 ; 2026-11-24 20:58:59 > 21:10:00
        spring | America/New_York | - | * 0 * * * * | 2026-11-24 20:58:59 > 21:00:00
        spring | America/New_York | - | * 5-8,19,20,35-41 * * * * | 2026-11-24 20:00:59 > 20:05:00 ; 2026-11-24 20:05:59 > 20:06:00 ; 2026-11-24 20:17:59 > 20:19:00 ; 2026-11-24 20:18:59 > 20:19:00 ; 2026-11-24 20:19:59 > 20:20:00 ; 2026-11-24 20:20:59 > 20:35:00 ; 2026-11-24 20:35:59 > 20:36:00 ; 2026-11-24 20:41:59 > 21:05:00
        spring | America/New_York | - | * 51-4 * * * * | 2026-11-24 22:34:59 > 22:51:00 ; 2026-11-24 22:50:59 > 22:51:00 ; 2026-11-24 22:54:59 > 22:55:00 ; 2026-11-24 22:58:59 > 22:59:00 ; 2026-11-24 22:59:59 > 23:00:00 ; 2026-11-24 23:03:59 > 23:04:00 ; 2026-11-24 23:04:59 > 23:51:00
        spring | America/New_York | - | * 56-4/4 * * * * | 2026-11-24 22:54:59 > 22:56:00 ; 2026-11-24 22:56:59 > 23:00:00 ; 2026-11-24 23:00:59 > 23:04:00 ; 2026-11-24 23:04:59 > 23:56:00
        spring | America/New_York | - | * 45-44 * * * * | 2026-11-24 23:44:59 > 23:45:00 ; 2026-11-24 23:54:59 > 23:55:00 ; 2026-11-24 23:58:59 > 23:59:00 ; 2026-11-24 23:59:59 > 2026-11-25 00:00:00 ; 2026-11-25 00:43:59 > 00:44:00
        spring | America/New_York | - | * * 11 * * * | 2026-11-24 15:58:59 > 16:00:00 ; 2026-11-24 16:29:59 > 16:30:00
        spring | America/New_York | - | * * 3-22 * * * | 2026-11-24 06:39:59 > 08:00:00 ; 2026-11-24 16:39:59 > 16:40:00
        spring | America/New_York | - | * * */2 * * * | 2026-11-24 04:59:59 > 05:00:00 ; 2026-11-24 05:59:59 > 07:00:00
        spring | America/New_York | - | * * 4/5 * * * | 2026-11-24 05:44:59 > 09:00:00 ; 2026-11-24 09:13:59 > 09:14:00 ; 2026-11-24 09:59:59 > 14:00:00
        spring | America/New_York | - | * * 3-5,10,11,13-17 * * * | 2026-11-24 06:54:59 > 08:00:00 ; 2026-11-24 09:54:59 > 09:55:00 ; 2026-11-24 11:09:59 > 15:00:00 ; 2026-11-24 15:54:59 > 15:55:00 ; 2026-11-24 16:24:59 > 16:25:00 ; 2026-11-24 17:29:59 > 18:00:00 ; 2026-11-24 22:29:59 > 22:30:00
        spring | America/New_York | - | * * 23-3/2 * * * | 2026-11-24 22:29:59 > 2026-11-25 04:00:00 ; 2026-11-24 05:29:59 > 06:00:00 ; 2026-11-24 06:59:59 > 08:00:00 ; 2026-11-24 08:59:59 > 2026-11-25 04:00:00
        spring | America/New_York | - | * * 23-22 * * * | 2026-11-25 03:09:59 > 03:10:00 ; 2026-11-25 04:09:59 > 04:10:00 ; 2026-11-24 05:09:59 > 05:10:00 ; 2026-11-24 12:09:59 > 12:10:00
        spring | America/New_York | - | * * * 9 * * | 2016-11-01 03:59:59 > 2016-11-09 05:00:00 ; 2016-11-09 04:59:59 > 05:00:00
        spring | America/New_York | - | * * * 09 * * | 2016-11-10 04:59:59 > 2016-12-09 05:00:00
        spring | America/New_York | - | * * * */4 * * | 2016-12-01 04:59:59 > 05:00:00 ; 2016-12-02 04:59:59 > 2016-12-05 05:00:00 ; 2016-12-06 04:59:59 > 2016-12-09 05:00:00
        spring | America/New_York | - | * * * */3 * * | 2016-12-02 04:59:59 > 2016-12-04 05:00:00
        spring | America/New_York | - | * * * 10,20 * * | 2016-12-09 04:59:59 > 2016-12-10 05:00:00 ; 2016-12-12 04:59:59 > 2016-12-20 05:00:00
        spring | America/New_York | - | * * * 16-23 * * | 2016-12-01 04:59:59 > 2016-12-16 05:00:00 ; 2016-12-16 04:59:59 > 05:00:00 ; 2016-12-18 04:59:59 > 05:00:00 ; 2016-12-23 04:59:59 > 05:00:00 ; 2016-12-24 04:59:59 > 2017-01-16 05:00:00
        spring | America/New_York | - | * * * 5-8,19,20,28-29 * * | 2016-12-01 04:59:59 > 2016-12-05 05:00:00 ; 2016-12-05 04:59:59 > 05:00:00 ; 2016-12-06 04:59:59 > 05:00:00 ; 2016-12-08 04:59:59 > 05:00:00 ; 2016-12-09 04:59:59 > 2016-12-19 05:00:00 ; 2016-12-20 04:59:59 > 05:00:00 ; 2016-12-21 04:59:59 > 2016-12-28 05:00:00 ; 2016-12-30 04:59:59 > 2017-01-05 05:00:00
        spring | America/New_York | - | * * * 5-8,19,20,29-30 * * | 2017-02-27 04:59:59 > 2017-03-05 05:00:00
        spring | America/New_York | - | * * * 30-31 * * | 2016-02-27 04:59:59 > 2016-03-30 04:00:00 ; 2017-02-27 04:59:59 > 2017-03-30 04:00:00
        spring | America/New_York | - | * * * 31 * * | 2017-04-27 03:59:59 > 2017-05-31 04:00:00
        spring | America/New_York | - | * * * 20-5/5 * * | 2017-05-19 03:59:59 > 2017-05-20 04:00:00 ; 2017-05-21 03:59:59 > 2017-05-25 04:00:00 ; 2017-05-26 03:59:59 > 2017-05-30 04:00:00 ; 2017-06-01 03:59:59 > 2017-06-04 04:00:00 ; 2017-06-05 03:59:59 > 2017-06-20 04:00:00 ; 2017-07-01 03:59:59 > 2017-07-04 04:00:00 ; 2018-02-26 04:59:59 > 2018-03-04 05:00:00
        spring | America/New_York | - | * * * * 11 * | 2016-10-09 03:59:59 > 2016-11-01 04:00:00 ; 2016-11-02 03:59:59 > 04:00:00 ; 2016-12-02 04:59:59 > 2017-11-01 04:00:00
        spring | America/New_York | - | * * * * 3,9 * | 2016-01-09 04:59:59 > 2016-03-01 05:00:00 ; 2016-06-09 03:59:59 > 2016-09-01 04:00:00 ; 2016-10-09 03:59:59 > 2017-03-01 05:00:00
        spring | America/New_York | - | * * * * 5-11 * | 2016-01-01 04:59:59 > 2016-05-01 04:00:00 ; 2016-05-07 03:59:59 > 04:00:00 ; 2016-07-12 03:59:59 > 04:00:00
        spring | America/New_York | - | * * * * 05-11 * | 2016-12-13 04:59:59 > 2017-05-01 04:00:00
        spring | America/New_York | - | * * * * DEC * | 2016-08-09 03:59:59 > 2016-12-01 05:00:00
        spring | America/New_York | - | * * * * mar-dec * | 2016-02-09 04:59:59 > 2016-03-01 05:00:00 ; 2016-04-09 03:59:59 > 04:00:00 ; 2016-12-09 04:59:59 > 05:00:00
        spring | America/New_York | - | * * * * */4 * | 2016-01-09 04:59:59 > 05:00:00 ; 2016-02-09 04:59:59 > 2016-05-01 04:00:00
        spring | America/New_York | - | * * * * */3 * | 2016-12-09 04:59:59 > 2017-01-01 05:00:00
        spring | America/New_York | - | * * * * */5 * | 2016-12-09 04:59:59 > 2017-01-01 05:00:00
        spring | America/New_York | - | * * * * APR-NOV * | 2016-12-09 04:59:59 > 2017-04-01 04:00:00
        spring | America/New_York | - | * * * * 2-4,JUN,7,SEP-nov * | 2016-01-01 04:59:59 > 2016-02-01 05:00:00 ; 2016-02-10 04:59:59 > 05:00:00 ; 2016-03-01 04:59:59 > 05:00:00 ; 2016-05-20 03:59:59 > 2016-06-01 04:00:00 ; 2016-06-10 03:59:59 > 04:00:00 ; 2016-07-05 03:59:59 > 04:00:00 ; 2016-08-15 03:59:59 > 2016-09-01 04:00:00 ; 2016-11-25 04:59:59 > 05:00:00 ; 2016-12-01 04:59:59 > 2017-02-01 05:00:00
        spring | America/New_York | - | * * * * 12-2 * | 2016-05-19 03:59:59 > 2016-12-01 05:00:00 ; 2017-01-19 04:59:59 > 05:00:00 ; 2017-02-19 04:59:59 > 05:00:00 ; 2017-03-19 03:59:59 > 2017-12-01 05:00:00
        spring | America/New_York | - | * * * * 9-8/3 * | 2016-07-19 03:59:59 > 2016-09-01 04:00:00 ; 2016-10-19 03:59:59 > 2016-12-01 05:00:00 ; 2017-01-19 04:59:59 > 2017-03-01 05:00:00 ; 2017-04-19 03:59:59 > 2017-06-01 04:00:00
        spring | America/New_York | - | * * * * * 5 | 2016-12-07 04:59:59 > 2016-12-09 05:00:00 ; 2016-12-09 04:59:59 > 05:00:00
        spring | America/New_York | - | * * * * * 05 | 2016-12-10 04:59:59 > 2016-12-16 05:00:00
        spring | America/New_York | - | * * * * * 3,5,7 | 2016-12-09 04:59:59 > 05:00:00 ; 2016-12-10 04:59:59 > 2016-12-11 05:00:00 ; 2016-12-12 04:59:59 > 2016-12-14 05:00:00
        spring | America/New_York | - | * * * * * 4-7 | 2016-12-08 04:59:59 > 05:00:00 ; 2016-12-10 04:59:59 > 05:00:00 ; 2016-12-11 04:59:59 > 05:00:00
        spring | America/New_York | - | * * * * * 4-07 | 2016-12-12 04:59:59 > 2016-12-15 05:00:00
        spring | America/New_York | - | * * * * * FRI | 2016-12-08 04:59:59 > 2016-12-09 05:00:00
        spring | America/New_York | - | * * * * * tue/2 | 2016-12-09 04:59:59 > 2016-12-10 05:00:00 ; 2016-12-11 04:59:59 > 2016-12-13 05:00:00
        spring | America/New_York | - | * * * * * FRI/3 | 2016-12-03 04:59:59 > 2016-12-09 05:00:00
        spring | America/New_York | - | * * * * * thu-sat | 2016-12-04 04:59:59 > 2016-12-08 05:00:00 ; 2016-12-09 04:59:59 > 05:00:00 ; 2016-12-10 04:59:59 > 05:00:00 ; 2016-12-12 04:59:59 > 2016-12-15 05:00:00
        spring | America/New_York | - | * * * * * */5 | 2016-12-08 04:59:59 > 2016-12-09 05:00:00 ; 2016-12-10 04:59:59 > 2016-12-11 05:00:00 ; 2016-12-12 04:59:59 > 2016-12-16 05:00:00
        spring | America/New_York | - | * * * ? * thu-sun | 2016-12-09 04:59:59 > 05:00:00
        spring | America/New_York | - | * * * ? * sat-tue | 2016-12-10 04:59:59 > 05:00:00 ; 2016-12-11 04:59:59 > 05:00:00 ; 2016-12-12 04:59:59 > 05:00:00 ; 2016-12-13 04:59:59 > 05:00:00 ; 2016-12-14 04:59:59 > 2016-12-17 05:00:00
        spring | America/New_York | - | * * * ? * sat-tue/2 | 2016-12-10 04:59:59 > 05:00:00 ; 2016-12-11 04:59:59 > 2016-12-12 05:00:00 ; 2016-12-12 04:59:59 > 05:00:00 ; 2016-12-13 04:59:59 > 2016-12-17 05:00:00
        spring | America/New_York | - | 00 00 00 11 12 0 | 2016-12-07 04:59:59 > 2016-12-11 05:00:00
        spring | America/New_York | - | 00 00 00 11 12 7 | 2016-12-09 04:59:59 > 2016-12-11 05:00:00
        spring | America/New_York | - | 00 00 00 11 12 SUN | 2016-12-10 04:59:59 > 2016-12-11 05:00:00
        spring | America/New_York | - | 00 00 00 11 12 sun | 2016-12-09 04:59:59 > 2016-12-11 05:00:00
        spring | America/New_York | - | 54 47 17 09 12 5 | 2016-10-01 03:59:59 > 2016-12-09 22:47:54
        spring | America/New_York | - | 54 47 17 09 DEC FRI | 2016-07-05 03:59:59 > 2016-12-09 22:47:54
        spring | America/New_York | - | 50-56 40-50 15-20 5-10 11,12 5,6,7 | 2016-12-01 04:59:59 > 2016-12-09 20:40:50 ; 2016-12-09 20:40:52 > 20:40:53 ; 2016-12-09 20:40:56 > 20:41:50 ; 2016-12-09 20:45:55 > 20:45:56 ; 2016-12-09 20:51:55 > 21:40:50 ; 2016-12-10 02:50:55 > 20:40:50 ; 2016-12-12 02:50:55 > 2017-11-05 20:40:50
        spring | America/New_York | - | 00 05 18 13 01 05 | 2016-01-01 04:59:59 > 2017-01-13 23:05:00
        spring | America/New_York | - | 00 05 18 13 * 05 | 2016-01-01 04:59:59 > 2016-05-13 22:05:00 ; 2016-09-01 03:59:59 > 2017-01-13 23:05:00 ; 2017-02-01 04:59:59 > 2017-10-13 22:05:00
        spring | America/New_York | - | 0 0 * * * * | 2017-01-14 17:58:59 > 18:00:00
        spring | America/New_York | - | 0 0 0 * * * | 2017-01-15 03:59:59 > 05:00:00 ; 2018-01-01 04:58:59 > 05:00:00
        spring | America/New_York | - | 0 0 0 1 * * | 2016-02-10 04:59:59 > 2016-03-01 05:00:00 ; 2017-02-10 04:59:59 > 2017-03-01 05:00:00 ; 2017-04-10 03:59:59 > 2017-05-01 04:00:00 ; 2017-01-30 04:59:59 > 2017-02-01 05:00:00
        spring | America/New_York | - | 0 0 0 30 * * | 2017-02-25 04:59:59 > 2017-03-30 04:00:00
        spring | America/New_York | - | 0 0 0 31 * * | 2017-02-25 04:59:59 > 2017-03-31 04:00:00 ; 2017-04-01 03:59:59 > 2017-05-31 04:00:00
        spring | America/New_York | - | 0 0 0 29 2 * | 2016-03-10 04:59:59 > 2020-02-29 05:00:00
        spring | America/New_York | - | * * * L * * | 2016-01-05 04:59:59 > 2016-01-31 05:00:00 ; 2016-01-31 04:59:59 > 05:00:00 ; 2016-02-05 04:59:59 > 2016-02-29 05:00:00 ; 2016-02-29 04:59:59 > 05:00:00 ; 2017-02-28 04:59:59 > 05:00:00 ; 2016-03-05 04:59:59 > 2016-03-31 04:00:00 ; 2016-03-31 03:59:59 > 04:00:00 ; 2016-04-05 03:59:59 > 2016-04-30 04:00:00 ; 2016-04-30 03:59:59 > 04:00:00 ; 2016-05-05 03:59:59 > 2016-05-31 04:00:00 ; 2016-05-31 03:59:59 > 04:00:00 ; 2016-06-05 03:59:59 > 2016-06-30 04:00:00 ; 2016-06-30 03:59:59 > 04:00:00 ; 2016-07-05 03:59:59 > 2016-07-31 04:00:00 ; 2016-07-31 03:59:59 > 04:00:00 ; 2016-08-05 03:59:59 > 2016-08-31 04:00:00 ; 2016-08-31 03:59:59 > 04:00:00 ; 2016-09-05 03:59:59 > 2016-09-30 04:00:00 ; 2016-09-30 03:59:59 > 04:00:00 ; 2016-10-05 03:59:59 > 2016-10-31 04:00:00 ; 2016-10-31 03:59:59 > 04:00:00 ; 2016-11-05 03:59:59 > 2016-11-30 05:00:00 ; 2016-12-05 04:59:59 > 2016-12-31 05:00:00 ; 2016-12-31 04:59:59 > 05:00:00 ; 2099-12-05 04:59:59 > 2099-12-31 05:00:00 ; 2099-12-31 04:59:59 > 05:00:00
        spring | America/New_York | - | * * * L 2 * | 2016-02-29 04:59:59 > 05:00:00
        spring | America/New_York | - | * * * L-1 * * | 2016-01-01 04:59:59 > 2016-01-30 05:00:00 ; 2016-01-29 04:59:59 > 2016-01-30 05:00:00 ; 2016-01-30 04:59:59 > 05:00:00 ; 2016-01-31 04:59:59 > 2016-02-28 05:00:00 ; 2016-02-01 04:59:59 > 2016-02-28 05:00:00 ; 2016-02-28 04:59:59 > 05:00:00 ; 2017-02-01 04:59:59 > 2017-02-27 05:00:00 ; 2017-02-27 04:59:59 > 05:00:00 ; 2016-04-01 03:59:59 > 2016-04-29 04:00:00 ; 2016-04-29 03:59:59 > 04:00:00 ; 2016-12-01 04:59:59 > 2016-12-30 05:00:00
        spring | America/New_York | - | * * * L-2 * * | 2016-01-05 04:59:59 > 2016-01-29 05:00:00 ; 2016-01-30 04:59:59 > 2016-02-27 05:00:00 ; 2016-02-01 04:59:59 > 2016-02-27 05:00:00 ; 2017-02-01 04:59:59 > 2017-02-26 05:00:00 ; 2016-04-01 03:59:59 > 2016-04-28 04:00:00 ; 2016-12-01 04:59:59 > 2016-12-29 05:00:00 ; 2016-12-29 04:59:59 > 05:00:00 ; 2016-12-30 04:59:59 > 2017-01-29 05:00:00
        spring | America/New_York | - | * * * L-28 * * | 2016-01-01 04:59:59 > 2016-01-03 05:00:00 ; 2016-04-01 03:59:59 > 2016-04-02 04:00:00 ; 2016-02-01 04:59:59 > 05:00:00 ; 2017-02-01 04:59:59 > 2017-03-03 05:00:00
        spring | America/New_York | - | * * * L-29 * * | 2016-01-01 04:59:59 > 2016-01-02 05:00:00 ; 2016-04-01 03:59:59 > 04:00:00 ; 2016-02-01 04:59:59 > 2016-03-02 05:00:00 ; 2017-02-01 04:59:59 > 2017-03-02 05:00:00
        spring | America/New_York | - | * * * L-30 * * | 2016-01-01 04:59:59 > 05:00:00 ; 2016-04-01 03:59:59 > 2016-05-01 04:00:00 ; 2016-02-01 04:59:59 > 2016-03-01 05:00:00 ; 2017-02-01 04:59:59 > 2017-03-01 05:00:00
        spring | America/New_York | - | * * * * * 0L | 2017-01-29 04:59:59 > 05:00:00 ; 2017-01-01 04:59:59 > 2017-01-29 05:00:00
        spring | America/New_York | - | * * * * * SUNL | 2017-01-01 04:59:59 > 2017-01-29 05:00:00
        spring | America/New_York | - | * * * * * 1L | 2017-01-30 04:59:59 > 05:00:00 ; 2017-01-01 04:59:59 > 2017-01-30 05:00:00
        spring | America/New_York | - | * * * * * MONL | 2017-01-01 04:59:59 > 2017-01-30 05:00:00
        spring | America/New_York | - | * * * * * 2L | 2017-01-31 04:59:59 > 05:00:00 ; 2017-01-01 04:59:59 > 2017-01-31 05:00:00
        spring | America/New_York | - | * * * * * TUEL | 2017-01-01 04:59:59 > 2017-01-31 05:00:00
        spring | America/New_York | - | * * * * * 3L | 2017-01-25 04:59:59 > 05:00:00 ; 2017-01-01 04:59:59 > 2017-01-25 05:00:00
        spring | America/New_York | - | * * * * * WEDL | 2017-01-01 04:59:59 > 2017-01-25 05:00:00
        spring | America/New_York | - | * * * * * 4L | 2017-01-26 04:59:59 > 05:00:00 ; 2017-01-01 04:59:59 > 2017-01-26 05:00:00
        spring | America/New_York | - | * * * * * THUL | 2017-01-01 04:59:59 > 2017-01-26 05:00:00
        spring | America/New_York | - | * * * * * 5L | 2017-01-27 04:59:59 > 05:00:00 ; 2017-01-01 04:59:59 > 2017-01-27 05:00:00
        spring | America/New_York | - | * * * * * FRIL | 2017-01-01 04:59:59 > 2017-01-27 05:00:00
        spring | America/New_York | - | * * * * * 6L | 2017-01-28 04:59:59 > 05:00:00 ; 2017-01-01 04:59:59 > 2017-01-28 05:00:00
        spring | America/New_York | - | * * * * * SATL | 2017-01-01 04:59:59 > 2017-01-28 05:00:00
        spring | America/New_York | - | * * * * * 7L | 2017-01-29 04:59:59 > 05:00:00 ; 2016-12-31 04:59:59 > 2017-01-29 05:00:00
        spring | America/New_York | - | * * * * * SUN#1 | 2017-01-01 04:59:59 > 05:00:00
        spring | America/New_York | - | * * * * * 0#1 | 2017-01-01 04:59:59 > 05:00:00 ; 2016-12-10 04:59:59 > 2017-01-01 05:00:00 ; 2017-02-01 04:59:59 > 2017-02-05 05:00:00
        spring | America/New_York | - | * * * * * 0#2 | 2017-01-01 04:59:59 > 2017-01-08 05:00:00 ; 2017-01-08 04:59:59 > 05:00:00
        spring | America/New_York | - | * * * * * 5#3 | 2017-01-01 04:59:59 > 2017-01-20 05:00:00 ; 2017-01-21 04:59:59 > 2017-02-17 05:00:00
        spring | America/New_York | - | * * * * * 3#2 | 2017-01-01 04:59:59 > 2017-01-11 05:00:00
        spring | America/New_York | - | * * * * * 2#5 | 2017-02-01 04:59:59 > 2017-05-30 04:00:00
        spring | America/New_York | - | * * * 1W * * | 2017-01-01 04:59:59 > 2017-01-02 05:00:00 ; 2017-04-01 03:59:59 > 2017-04-03 04:00:00
        spring | America/New_York | - | * * * 2W * * | 2017-01-02 04:59:59 > 05:00:00
        spring | America/New_York | - | * * * 6W * * | 2017-01-02 04:59:59 > 2017-01-06 05:00:00
        spring | America/New_York | - | * * * 7W * * | 2017-01-02 04:59:59 > 2017-01-06 05:00:00 ; 2017-01-07 04:59:59 > 2017-02-07 05:00:00
        spring | America/New_York | - | * * * 8W * * | 2017-01-02 04:59:59 > 2017-01-09 05:00:00
        spring | America/New_York | - | * * * 30W * * | 2017-04-27 03:59:59 > 2017-04-28 04:00:00 ; 2017-04-28 03:59:59 > 04:00:00 ; 2017-04-29 03:59:59 > 2017-05-30 04:00:00
        spring | America/New_York | - | 0 30 10 1W * * | 2017-04-01 03:59:59 > 2017-04-03 14:30:00 ; 2017-04-01 15:59:59 > 2017-04-03 14:30:00 ; 2017-04-02 03:59:59 > 2017-04-03 14:30:00 ; 2017-04-02 15:59:59 > 2017-04-03 14:30:00 ; 2017-04-03 03:59:59 > 14:30:00 ; 2017-04-03 15:59:59 > 2017-05-01 14:30:00
        spring | America/New_York | - | 0 30 10 2W * * | 2017-04-01 03:59:59 > 2017-04-03 14:30:00 ; 2017-04-01 15:59:59 > 2017-04-03 14:30:00 ; 2017-04-02 03:59:59 > 2017-04-03 14:30:00 ; 2017-04-02 15:59:59 > 2017-04-03 14:30:00 ; 2017-04-03 03:59:59 > 14:30:00 ; 2017-04-03 15:59:59 > 2017-05-02 14:30:00
        spring | America/New_York | - | 0 30 17 7W * * | 2017-01-06 22:44:59 > 2017-02-07 22:30:00
        spring | America/New_York | - | 0 30,45 17 7W * * | 2017-01-06 22:44:59 > 22:45:00
        spring | America/New_York | - | 0 30,55 17 7W * * | 2017-01-06 22:44:59 > 22:55:00
        spring | America/New_York | - | 0 30 17 8W * * | 2017-01-09 00:44:59 > 22:30:00
        spring | America/New_York | - | 0 30 17 30W * * | 2017-04-28 21:44:59 > 2017-05-30 21:30:00 ; 2017-02-06 04:59:59 > 2017-03-30 21:30:00
        spring | America/New_York | - | 0 30,45 17 30W * * | 2017-04-28 21:44:59 > 21:45:00
        spring | America/New_York | - | 0 30,55 17 30W * * | 2017-04-28 21:44:59 > 21:55:00
        spring | America/New_York | - | 0 30 17 31W * * | 2018-03-30 21:44:59 > 2018-05-31 21:30:00
        spring | America/New_York | - | 0 30 17 15W * * | 2016-12-30 22:44:59 > 2017-01-16 22:30:00
        spring | America/New_York | - | 0 30 17 27W * 1L | 2017-03-10 22:44:59 > 2017-03-27 21:30:00
        spring | America/New_York | - | 0 30 17 27W * 1#4 | 2017-03-10 22:44:59 > 2017-03-27 21:30:00
        spring | America/New_York | - | * * * LW * * | 2017-01-01 04:59:59 > 2017-01-31 05:00:00 ; 2017-09-01 03:59:59 > 2017-09-29 04:00:00 ; 2017-09-29 03:59:59 > 04:00:00 ; 2017-09-30 03:59:59 > 2017-10-31 04:00:00 ; 2017-04-01 03:59:59 > 2017-04-28 04:00:00 ; 2017-04-28 03:59:59 > 04:00:00 ; 2017-04-29 03:59:59 > 2017-05-31 04:00:00 ; 2017-05-30 03:59:59 > 2017-05-31 04:00:00
        spring | America/New_York | - | 0 30 17 LW * * | 2017-09-29 21:44:59 > 2017-10-31 21:30:00
        spring | America/New_York | - | * * * L-1W * * | 2017-01-01 04:59:59 > 2017-01-30 05:00:00 ; 2016-02-01 04:59:59 > 2016-02-29 05:00:00 ; 2017-02-01 04:59:59 > 2017-02-27 05:00:00
        spring | America/New_York | - | * * * L-2W * * | 2017-01-01 04:59:59 > 2017-01-30 05:00:00 ; 2016-02-01 04:59:59 > 2016-02-26 05:00:00 ; 2017-02-01 04:59:59 > 2017-02-27 05:00:00
        spring | America/New_York | - | * * * L-3W * * | 2017-01-01 04:59:59 > 2017-01-27 05:00:00 ; 2016-02-01 04:59:59 > 2016-02-26 05:00:00 ; 2017-02-01 04:59:59 > 2017-02-24 05:00:00
        spring | America/New_York | - | * * * L-4W * * | 2017-01-01 04:59:59 > 2017-01-27 05:00:00
        spring | America/New_York | - | * * * L-0W * * | 2016-02-01 04:59:59 > 2016-02-29 05:00:00 ; 2017-02-01 04:59:59 > 2017-02-28 05:00:00 ≠ lastDay
        spring | America/New_York | - | * * * ? 11 * | 2016-10-09 03:59:59 > 2016-11-01 04:00:00
        spring | America/New_York | - | ? ? ? ? ? ? | 2016-12-09 21:45:59 > 21:46:00 ≠ mark
        spring | America/New_York | - | * * * * * ? | 2016-12-09 21:45:59 > 21:46:00 ; 2016-12-30 21:45:59 > 21:46:00 ; 2016-12-09 21:08:59 > 21:09:00
        spring | America/New_York | - | * * * ? * * | 2016-03-09 21:45:59 > 21:46:00 ; 2016-12-09 07:45:59 > 07:46:00 ; 2099-12-09 21:45:59 > 21:46:00
        spring | America/New_York | - | * * * lw * * | 2017-05-30 03:59:59 > 2017-05-31 04:00:00
        spring | America/New_York | - | * * * l-0w * * | 2016-02-01 04:59:59 > 2016-02-29 05:00:00 ≠ lastDay
        spring | America/New_York | - | 0 30 17 27w * 1l | 2017-03-10 22:44:59 > 2017-03-27 21:30:00
        spring | America/New_York | - | 0 30 17 27w * mOnL | 2017-03-10 22:44:59 > 2017-03-27 21:30:00
        spring | America/New_York | - | 0 57,20/20,30/20,32-34/2,58 * * * * | 2017-04-17 20:59:59 > 21:20:00 ; 2017-04-17 21:20:59 > 21:30:00 ; 2017-04-17 21:30:59 > 21:32:00 ; 2017-04-17 21:32:59 > 21:34:00 ; 2017-04-17 21:34:59 > 21:40:00 ; 2017-04-17 21:40:59 > 21:50:00 ; 2017-04-17 21:50:59 > 21:57:00 ; 2017-04-17 21:57:59 > 21:58:00 ; 2017-04-17 21:58:59 > 22:20:00
        spring | America/New_York | - | 0 */30 * * * * | 2016-03-13 06:44:59 > 07:00:00 ; 2016-03-13 06:30:00 > 07:00:00 ; 2016-11-06 04:59:59 > 05:00:00 ; 2016-11-06 05:29:59 > 05:30:00 ; 2016-11-06 05:58:59 > 06:00:00 ; 2016-11-06 06:14:59 > 06:30:00 ; 2016-11-06 06:29:59 > 06:30:00 ; 2016-11-06 06:44:59 > 07:00:00 ; 2016-11-06 05:00:00 > 05:30:00 ; 2016-11-06 05:30:00 > 06:00:00 ; 2016-11-06 06:00:00 > 06:30:00 ; 2016-11-06 06:30:00 > 07:00:00
        spring | America/New_York | - | 0 */30 */2 * * * | 2016-03-13 06:58:59 > 07:00:00 ; 2016-03-13 06:30:00 > 07:00:00 ; 2016-11-06 05:29:59 > 07:00:00 ≠ clockStar
        spring | America/New_York | - | 0 1-58 */2 * * * | 2016-03-13 06:58:59 > 07:00:00 ; 2016-03-13 06:58:00 > 07:00:00 ≠ clockStar
        spring | America/New_York | - | 0 0,30 0-23/2 * * * | 2016-03-13 06:58:59 > 07:00:00 ; 2016-03-13 05:30:00 > 07:00:00
        spring | America/New_York | - | 0 */30 2 * * * | 2016-03-13 06:58:59 > 07:00:00 ≠ clockStar
        spring | America/New_York | - | 0 0,30 2 * * * | 2016-03-13 06:58:59 > 07:00:00 ; 2016-03-12 07:30:00 > 2016-03-13 07:00:00
        spring | America/New_York | - | 0 */30 2 13 03 * | 2016-03-13 06:58:59 > 07:00:00 ; 2016-03-13 06:59:00 > 07:00:00 ≠ clockStar
        spring | America/New_York | - | 0 0,30 02 13 03 * | 2016-03-13 06:44:59 > 07:00:00 ; 2016-03-13 06:45:00 > 07:00:00
        spring | America/New_York | - | 0 30 2 * * * | 2016-03-13 06:58:59 > 07:00:00 ; 2016-03-12 07:30:00 > 2016-03-13 07:00:00
        spring | America/New_York | - | 0 0 */2 * * * | 2016-03-13 06:58:59 > 07:00:00 ; 2016-03-13 05:00:00 > 07:00:00 ; 2016-11-06 04:29:59 > 07:00:00 ≠ clockStar
        spring | America/New_York | - | 0 30 0-23/2 * * * | 2016-03-13 06:58:59 > 07:00:00 ; 2016-03-13 05:30:00 > 07:00:00
        spring | America/New_York | - | 0 0,59 * * * * | 2016-03-13 06:58:59 > 06:59:00 ; 2016-03-13 06:59:59 > 07:00:00 ; 2016-03-13 06:59:00 > 07:00:00
        spring | America/New_York | - | 0 30 * * 3 SUN#2 | 2016-03-13 06:58:59 > 07:00:00 ; 2016-03-13 06:59:00 > 07:00:00 ≠ clockStar
        spring | Australia/Lord_Howe | - | 0 */30 * * * * | 2017-09-30 15:14:59 > 15:30:00 ; 2017-04-01 14:29:59 > 14:30:00 ; 2017-04-01 14:58:59 > 15:00:00 ; 2017-04-01 14:44:59 > 15:00:00
        spring | Australia/Lord_Howe | - | 0 */30 */2 * * * | 2017-09-30 15:28:59 > 15:30:00 ; 2017-04-01 14:29:59 > 15:30:00
        spring | Australia/Lord_Howe | - | 0 1-58 */2 * * * | 2017-09-30 15:28:59 > 15:30:00
        spring | Australia/Lord_Howe | - | 0 0,30 0-23/2 * * * | 2017-09-30 15:28:59 > 15:30:00
        spring | Australia/Lord_Howe | - | 0 */30 2 * * * | 2017-09-30 15:28:59 > 15:30:00
        spring | Australia/Lord_Howe | - | 0 0,30 2 * * * | 2017-09-30 15:28:59 > 15:30:00
        spring | Australia/Lord_Howe | - | 0 */30 2 01 10 * | 2017-09-30 15:28:59 > 15:30:00
        spring | Australia/Lord_Howe | - | 0 0,30 02 01 10 * | 2017-09-30 15:14:59 > 15:30:00
        spring | Australia/Lord_Howe | - | 0 30 2 * * * | 2017-09-30 15:28:59 > 15:30:00
        spring | Australia/Lord_Howe | - | 0 0,30 */2 * * * | 2017-09-30 15:28:59 > 15:30:00
        spring | Australia/Lord_Howe | - | 0 30 0-23/2 * * * | 2017-09-30 15:28:59 > 15:30:00
        spring | Australia/Lord_Howe | - | 0 0,30,59 * * * * | 2017-09-30 15:28:59 > 15:29:00 ; 2017-09-30 15:29:59 > 15:30:00
        spring | Australia/Lord_Howe | - | 0 30 * * 10 SUN#1 | 2017-09-30 15:28:59 > 15:30:00
        spring | America/New_York | - | 0 0 0/2 * * * | 2016-11-06 04:29:59 > 07:00:00
        spring | America/New_York | - | 0 0 2-3 * * * | 2016-11-06 04:29:59 > 07:00:00
        spring | America/New_York | - | 0 30 * * * * | 2016-11-06 05:29:59 > 05:30:00 ; 2016-11-06 05:58:59 > 06:30:00 ; 2016-11-06 05:30:00 > 06:30:00 ; 2016-11-06 06:30:00 > 07:30:00
        spring | America/New_York | - | 0 30 */1 * * * | 2016-11-06 05:29:59 > 05:30:00 ; 2016-11-06 05:58:59 > 06:30:00 ; 2016-11-06 05:30:00 > 06:30:00
        spring | America/New_York | - | 0 30 0/1 * * * | 2016-11-06 05:29:59 > 05:30:00 ; 2016-11-06 05:58:59 > 06:30:00 ; 2016-11-06 05:30:00 > 06:30:00 ≠ intervals
        spring | America/New_York | - | 0 30 1-9 * * * | 2016-11-06 05:29:59 > 05:30:00 ; 2016-11-06 05:58:59 > 06:30:00 ; 2016-11-06 05:30:00 > 06:30:00 ≠ intervals
        spring | America/New_York | - | 0 */30 1 * * * | 2016-11-06 04:59:59 > 05:00:00 ; 2016-11-06 05:19:59 > 05:30:00 ; 2016-11-06 05:58:59 > 06:00:00 ; 2016-11-06 06:19:59 > 06:30:00 ; 2016-11-06 05:00:00 > 05:30:00 ; 2016-11-06 05:30:00 > 06:00:00
        spring | America/New_York | - | 0 0/30 1 * * * | 2016-11-06 04:59:59 > 05:00:00 ; 2016-11-06 05:19:59 > 05:30:00 ; 2016-11-06 05:58:59 > 06:00:00 ; 2016-11-06 06:19:59 > 06:30:00 ; 2016-11-06 05:00:00 > 05:30:00 ; 2016-11-06 05:30:00 > 06:00:00 ; 2016-11-06 06:00:00 > 06:30:00 ≠ intervals
        spring | America/New_York | - | 0 0-30 1 * * * | 2016-11-06 04:59:59 > 05:00:00 ; 2016-11-06 05:19:59 > 05:20:00 ; 2016-11-06 05:58:59 > 06:00:00 ; 2016-11-06 06:19:59 > 06:20:00 ; 2016-11-06 05:00:00 > 05:01:00 ; 2016-11-06 05:20:00 > 05:21:00 ; 2016-11-06 05:59:00 > 06:00:00 ; 2016-11-06 06:20:00 > 06:21:00 ≠ intervals
        spring | America/New_York | - | */30 0 1 * * * | 2016-11-06 04:29:59 > 05:00:00 ; 2016-11-06 05:00:00 > 05:00:30 ; 2016-11-06 05:00:30 > 06:00:00 ; 2016-11-06 06:00:00 > 06:00:30 ; 2016-11-06 06:00:30 > 2016-11-07 06:00:00 ; 2016-11-06 04:30:00 > 05:00:00
        spring | America/New_York | - | 0/30 0 1 * * * | 2016-11-06 04:29:59 > 05:00:00 ; 2016-11-06 05:00:00 > 05:00:30 ; 2016-11-06 05:00:30 > 06:00:00 ; 2016-11-06 06:00:00 > 06:00:30 ; 2016-11-06 06:00:30 > 2016-11-07 06:00:00 ; 2016-11-06 04:30:00 > 05:00:00 ≠ intervals
        spring | America/New_York | - | 0-30 0 1 * * * | 2016-11-06 04:29:59 > 05:00:00 ; 2016-11-06 05:00:00 > 05:00:01 ; 2016-11-06 05:00:30 > 06:00:00 ; 2016-11-06 06:00:00 > 06:00:01 ; 2016-11-06 06:00:30 > 2016-11-07 06:00:00 ; 2016-11-06 04:30:00 > 05:00:00 ≠ intervals
        spring | America/New_York | - | 0 0,30 1 * * * | 2016-11-06 04:59:59 > 05:00:00 ; 2016-11-06 05:19:59 > 05:30:00 ; 2016-11-06 05:59:59 > 2016-11-07 06:00:00 ; 2016-11-06 05:00:00 > 05:30:00 ; 2016-11-06 05:30:00 > 2016-11-07 06:00:00
        spring | America/New_York | - | 0 0,30 1 * 1/2 * | 2016-11-06 04:59:59 > 05:00:00 ; 2016-11-06 05:19:59 > 05:30:00 ; 2016-11-06 05:59:59 > 2016-11-07 06:00:00 ; 2016-11-06 05:00:00 > 05:30:00 ; 2016-11-06 05:30:00 > 2016-11-07 06:00:00
        spring | America/New_York | - | 0 0,30 1 6/1 1-12 0/1 | 2016-11-06 04:59:59 > 05:00:00 ; 2016-11-06 05:19:59 > 05:30:00 ; 2016-11-06 05:59:59 > 2016-11-07 06:00:00 ; 2016-11-06 05:00:00 > 05:30:00 ; 2016-11-06 05:30:00 > 2016-11-07 06:00:00
        spring | America/New_York | - | 0 0 1 * * * | 2016-11-06 04:59:59 > 05:00:00 ; 2016-11-06 05:59:59 > 2016-11-07 06:00:00 ; 2016-11-06 05:00:00 > 2016-11-07 06:00:00
        spring | America/New_York | - | 0 0 1 6 11 * | 2015-11-07 05:59:59 > 2016-11-06 05:00:00 ; 2015-11-07 06:00:00 > 2016-11-06 05:00:00
        spring | America/New_York | - | 0 0 1 * 11 SUN#1 | 2015-11-01 05:59:59 > 2016-11-06 05:00:00 ; 2015-11-01 06:00:00 > 2016-11-06 05:00:00
        spring | America/New_York | - | 0 0 2 * * * | 2016-11-06 05:45:00 > 07:00:00 ; 2016-11-06 06:45:00 > 07:00:00
        spring | Australia/Lord_Howe | - | 0 0 */2 * * * | 2017-04-01 13:29:59 > 15:30:00
        spring | Australia/Lord_Howe | - | 0 0 0/2 * * * | 2017-04-01 13:29:59 > 15:30:00
        spring | Australia/Lord_Howe | - | 0 0 2-3 * * * | 2017-04-01 13:29:59 > 15:30:00
        spring | Australia/Lord_Howe | - | 0 30 * * * * | 2017-04-01 14:29:59 > 14:30:00 ; 2017-04-01 14:58:59 > 15:00:00
        spring | Australia/Lord_Howe | - | 0 30 */1 * * * | 2017-04-01 14:29:59 > 14:30:00 ; 2017-04-01 14:58:59 > 15:00:00
        spring | Australia/Lord_Howe | - | 0 30 0/1 * * * | 2017-04-01 14:29:59 > 14:30:00 ; 2017-04-01 14:58:59 > 15:00:00 ≠ intervals
        spring | Australia/Lord_Howe | - | 0 30 1-9 * * * | 2017-04-01 14:29:59 > 14:30:00 ; 2017-04-01 14:58:59 > 15:00:00 ≠ intervals
        spring | Australia/Lord_Howe | - | 0 */30 1 * * * | 2017-04-01 13:59:59 > 14:00:00 ; 2017-04-01 14:19:59 > 14:30:00 ; 2017-04-01 14:58:59 > 15:00:00
        spring | Australia/Lord_Howe | - | 0 0/30 1 * * * | 2017-04-01 13:59:59 > 14:00:00 ; 2017-04-01 14:19:59 > 14:30:00 ; 2017-04-01 14:58:59 > 15:00:00 ≠ intervals
        spring | Australia/Lord_Howe | - | 0 0-30 1 * * * | 2017-04-01 13:59:59 > 14:00:00 ; 2017-04-01 14:19:59 > 14:20:00 ; 2017-04-01 14:58:59 > 15:00:00 ≠ intervals
        spring | Australia/Lord_Howe | - | */30 30 1 * * * | 2017-04-01 13:29:59 > 14:30:00 ; 2017-04-01 14:30:00 > 14:30:30 ; 2017-04-01 14:30:30 > 15:00:00 ; 2017-04-01 15:00:00 > 15:00:30 ; 2017-04-01 15:00:30 > 2017-04-02 15:00:00
        spring | Australia/Lord_Howe | - | 0/30 30 1 * * * | 2017-04-01 13:29:59 > 14:30:00 ; 2017-04-01 14:30:00 > 14:30:30 ; 2017-04-01 14:30:30 > 15:00:00 ; 2017-04-01 15:00:00 > 15:00:30 ; 2017-04-01 15:00:30 > 2017-04-02 15:00:00 ≠ intervals
        spring | Australia/Lord_Howe | - | 0-30 30 1 * * * | 2017-04-01 13:29:59 > 14:30:00 ; 2017-04-01 14:30:00 > 14:30:01 ; 2017-04-01 14:30:30 > 15:00:00 ; 2017-04-01 15:00:00 > 15:00:01 ; 2017-04-01 15:00:30 > 2017-04-02 15:00:00 ≠ intervals
        spring | Australia/Lord_Howe | - | 0 0,30 1 * * * | 2017-04-01 13:59:59 > 14:00:00 ; 2017-04-01 14:19:59 > 14:30:00 ; 2017-04-01 14:59:59 > 2017-04-02 14:30:00
        spring | Australia/Lord_Howe | - | 0 0,30 1 * 2/2 * | 2017-04-01 13:59:59 > 14:00:00 ; 2017-04-01 14:19:59 > 14:30:00 ; 2017-04-01 14:59:59 > 2017-04-02 14:30:00
        spring | Australia/Lord_Howe | - | 0 0,30 1 2/1 1-12 0/1 | 2017-04-01 13:59:59 > 14:00:00 ; 2017-04-01 14:19:59 > 14:30:00 ; 2017-04-01 14:59:59 > 2017-04-02 14:30:00
        spring | Australia/Lord_Howe | - | 0 30 1 * * * | 2017-04-01 14:29:59 > 14:30:00 ; 2017-04-01 14:59:59 > 2017-04-02 15:00:00
        cron | UTC | - | * * 30 2 * | 1970-01-01 00:00:00 > none
        cron | UTC | - | * * 30-31 2 * | 1970-01-01 00:00:00 > none
        cron | UTC | - | * * 31 2 * | 1970-01-01 00:00:00 > none
        cron | UTC | - | * * 31 4 * | 1970-01-01 00:00:00 > none
        cron | UTC | - | * * 31 6 * | 1970-01-01 00:00:00 > none
        cron | UTC | - | * * 31 9 * | 1970-01-01 00:00:00 > none
        cron | UTC | - | * * 31 11 * | 1970-01-01 00:00:00 > none
        cron | UTC | - | * * L-30 11 * | 1970-01-01 00:00:00 > none
        cron | UTC | - | * * L-29 2 * | 1970-01-01 00:00:00 > none
        cron | UTC | - | * * L-30 2 * | 1970-01-01 00:00:00 > none
        cron | UTC | - | * * 1 * SUN#2 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 7 * SUN#2 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 1 * SUN#3 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 14 * SUN#3 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 1 * SUN#4 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 21 * SUN#4 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 1 * SUN#5 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 28 * SUN#5 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 1-28 * SUN#5 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 8 * MON#1 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 31 * MON#1 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 15 * TUE#2 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 31 * TUE#2 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 22 * WED#3 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 31 * WED#3 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 29 * THU#4 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 31 * THU#4 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 21 * 7L | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 21 * 0L | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 11 * 0L | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 1 * 0L | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * L * SUN#1 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * L * SUN#2 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * L * SUN#3 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * L 1 SUN#4 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * L 3-12 SUN#4 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * L-1 2 SUN#5 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * L-2 4 SUN#5 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * L-3 * SUN#5 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * L-10 * SUN#4 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 1W * SUN | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 4W * 0 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 7W * 7 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 5W * SAT | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 14W * 6#2 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 7W * FRI#2 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 14W * TUE#3 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 11W * MON#3 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 21W * TUE#4 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 28W * SAT#5 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 21W * 0L | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 19W * 1L | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 1W * 1L | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 21W * 2L | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 2W * 2L | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 21W * 3L | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 3W * 3L | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 21W * 4L | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 4W * 4L | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 21W * 5L | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 5W * 5L | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 21W * 6L | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * 21W * 7L | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * LW * SUN | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * LW * 0 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * LW * 0L | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * LW * SAT | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * LW * 6 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * LW * 6L | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * LW * 1#1 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * LW * 2#2 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * LW * 3#3 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * LW 1 4#4 | 1970-01-01 00:00:00 > none ≠ either
        cron | UTC | - | * * LW 3-12 4#4 | 1970-01-01 00:00:00 > none ≠ either
        cron | America/New_York | - | * * * * * | 2026-11-24 22:34:59 > 22:35:00 ; 2026-11-24 22:35:00 > 22:36:00 ; 2026-11-24 22:35:58 > 22:36:00 ; 2026-11-24 22:35:59 > 22:36:00
        cron | America/New_York | - | 12 * * * * | 2026-11-24 20:04:59 > 20:12:00 ; 2026-11-24 20:11:59 > 20:12:00 ; 2026-11-24 20:58:59 > 21:12:00
        cron | America/New_York | - | 31-39 * * * * | 2026-11-24 19:59:59 > 20:31:00 ; 2026-11-24 20:29:59 > 20:31:00 ; 2026-11-24 20:30:59 > 20:31:00 ; 2026-11-24 20:38:59 > 20:39:00 ; 2026-11-24 20:58:59 > 21:31:00
        cron | America/New_York | - | */20 * * * * | 2026-11-24 19:59:59 > 20:00:00 ; 2026-11-24 20:09:59 > 20:20:00 ; 2026-11-24 20:58:59 > 21:00:00
        cron | America/New_York | - | 10/5 * * * * | 2026-11-24 19:59:59 > 20:10:00 ; 2026-11-24 20:13:59 > 20:15:00 ; 2026-11-24 20:58:59 > 21:10:00
        cron | America/New_York | - | 0 * * * * | 2026-11-24 20:58:59 > 21:00:00 ; 2017-01-14 17:58:59 > 18:00:00
        cron | America/New_York | - | 44 * * * * | 2026-11-25 00:44:00 > 01:44:00 ; 2026-11-25 00:44:29 > 01:44:00 ; 2026-11-25 00:44:58 > 01:44:00 ; 2026-11-25 00:44:59 > 01:44:00
        cron | America/New_York | - | 5-8,19,20,35-41 * * * * | 2026-11-24 20:00:59 > 20:05:00 ; 2026-11-24 20:05:59 > 20:06:00 ; 2026-11-24 20:17:59 > 20:19:00 ; 2026-11-24 20:18:59 > 20:19:00 ; 2026-11-24 20:19:59 > 20:20:00 ; 2026-11-24 20:20:59 > 20:35:00 ; 2026-11-24 20:35:59 > 20:36:00 ; 2026-11-24 20:41:59 > 21:05:00
        cron | America/New_York | - | 51-4 * * * * | 2026-11-24 22:34:59 > 22:51:00 ; 2026-11-24 22:50:59 > 22:51:00 ; 2026-11-24 22:54:59 > 22:55:00 ; 2026-11-24 22:58:59 > 22:59:00 ; 2026-11-24 22:59:59 > 23:00:00 ; 2026-11-24 23:03:59 > 23:04:00 ; 2026-11-24 23:04:59 > 23:51:00
        cron | America/New_York | - | 56-4/4 * * * * | 2026-11-24 22:54:59 > 22:56:00 ; 2026-11-24 22:56:59 > 23:00:00 ; 2026-11-24 23:00:59 > 23:04:00 ; 2026-11-24 23:04:59 > 23:56:00
        cron | America/New_York | - | 45-44 * * * * | 2026-11-24 23:44:59 > 23:45:00 ; 2026-11-24 23:54:59 > 23:55:00 ; 2026-11-24 23:58:59 > 23:59:00 ; 2026-11-24 23:59:59 > 2026-11-25 00:00:00 ; 2026-11-25 00:43:59 > 00:44:00
        cron | America/New_York | - | * 11 * * * | 2026-11-24 15:58:59 > 16:00:00 ; 2026-11-24 16:29:59 > 16:30:00
        cron | America/New_York | - | * 3-22 * * * | 2026-11-24 06:39:59 > 08:00:00 ; 2026-11-24 16:39:59 > 16:40:00
        cron | America/New_York | - | * */2 * * * | 2026-11-24 04:59:59 > 05:00:00 ; 2026-11-24 05:59:59 > 07:00:00
        cron | America/New_York | - | * 4/5 * * * | 2026-11-24 05:44:59 > 09:00:00 ; 2026-11-24 09:13:59 > 09:14:00 ; 2026-11-24 09:59:59 > 14:00:00
        cron | America/New_York | - | * 3-5,10,11,13-17 * * * | 2026-11-24 06:54:59 > 08:00:00 ; 2026-11-24 09:54:59 > 09:55:00 ; 2026-11-24 11:09:59 > 15:00:00 ; 2026-11-24 15:54:59 > 15:55:00 ; 2026-11-24 16:24:59 > 16:25:00 ; 2026-11-24 17:29:59 > 18:00:00 ; 2026-11-24 22:29:59 > 22:30:00
        cron | America/New_York | - | * 23-3/2 * * * | 2026-11-24 22:29:59 > 2026-11-25 04:00:00 ; 2026-11-24 05:29:59 > 06:00:00 ; 2026-11-24 06:59:59 > 08:00:00 ; 2026-11-24 08:59:59 > 2026-11-25 04:00:00
        cron | America/New_York | - | * 23-22 * * * | 2026-11-25 03:09:59 > 03:10:00 ; 2026-11-25 04:09:59 > 04:10:00 ; 2026-11-24 05:09:59 > 05:10:00 ; 2026-11-24 12:09:59 > 12:10:00
        cron | America/New_York | - | * * 9 * * | 2016-11-01 03:59:59 > 2016-11-09 05:00:00 ; 2016-11-09 04:59:59 > 05:00:00
        cron | America/New_York | - | * * 09 * * | 2016-11-10 04:59:59 > 2016-12-09 05:00:00
        cron | America/New_York | - | * * */4 * * | 2016-12-01 04:59:59 > 05:00:00 ; 2016-12-02 04:59:59 > 2016-12-05 05:00:00 ; 2016-12-06 04:59:59 > 2016-12-09 05:00:00
        cron | America/New_York | - | * * */3 * * | 2016-12-02 04:59:59 > 2016-12-04 05:00:00
        cron | America/New_York | - | * * 10,20 * * | 2016-12-09 04:59:59 > 2016-12-10 05:00:00 ; 2016-12-12 04:59:59 > 2016-12-20 05:00:00
        cron | America/New_York | - | * * 16-23 * * | 2016-12-01 04:59:59 > 2016-12-16 05:00:00 ; 2016-12-16 04:59:59 > 05:00:00 ; 2016-12-18 04:59:59 > 05:00:00 ; 2016-12-23 04:59:59 > 05:00:00 ; 2016-12-24 04:59:59 > 2017-01-16 05:00:00
        cron | America/New_York | - | * * 5-8,19,20,28-29 * * | 2016-12-01 04:59:59 > 2016-12-05 05:00:00 ; 2016-12-05 04:59:59 > 05:00:00 ; 2016-12-06 04:59:59 > 05:00:00 ; 2016-12-08 04:59:59 > 05:00:00 ; 2016-12-09 04:59:59 > 2016-12-19 05:00:00 ; 2016-12-20 04:59:59 > 05:00:00 ; 2016-12-21 04:59:59 > 2016-12-28 05:00:00 ; 2016-12-30 04:59:59 > 2017-01-05 05:00:00
        cron | America/New_York | - | * * 5-8,19,20,29-30 * * | 2017-02-27 04:59:59 > 2017-03-05 05:00:00
        cron | America/New_York | - | * * 30-31 * * | 2016-02-27 04:59:59 > 2016-03-30 04:00:00 ; 2017-02-27 04:59:59 > 2017-03-30 04:00:00
        cron | America/New_York | - | * * 31 * * | 2017-04-27 03:59:59 > 2017-05-31 04:00:00
        cron | America/New_York | - | * * 20-5/5 * * | 2017-05-19 03:59:59 > 2017-05-20 04:00:00 ; 2017-05-21 03:59:59 > 2017-05-25 04:00:00 ; 2017-05-26 03:59:59 > 2017-05-30 04:00:00 ; 2017-06-01 03:59:59 > 2017-06-04 04:00:00 ; 2017-06-05 03:59:59 > 2017-06-20 04:00:00 ; 2017-07-01 03:59:59 > 2017-07-04 04:00:00 ; 2018-02-26 04:59:59 > 2018-03-04 05:00:00
        cron | America/New_York | - | * * * 11 * | 2016-10-09 03:59:59 > 2016-11-01 04:00:00 ; 2016-11-02 03:59:59 > 04:00:00 ; 2016-12-02 04:59:59 > 2017-11-01 04:00:00
        cron | America/New_York | - | * * * 3,9 * | 2016-01-09 04:59:59 > 2016-03-01 05:00:00 ; 2016-06-09 03:59:59 > 2016-09-01 04:00:00 ; 2016-10-09 03:59:59 > 2017-03-01 05:00:00
        cron | America/New_York | - | * * * 5-11 * | 2016-01-01 04:59:59 > 2016-05-01 04:00:00 ; 2016-05-07 03:59:59 > 04:00:00 ; 2016-07-12 03:59:59 > 04:00:00
        cron | America/New_York | - | * * * 05-11 * | 2016-12-13 04:59:59 > 2017-05-01 04:00:00
        cron | America/New_York | - | * * * DEC * | 2016-08-09 03:59:59 > 2016-12-01 05:00:00
        cron | America/New_York | - | * * * mar-dec * | 2016-02-09 04:59:59 > 2016-03-01 05:00:00 ; 2016-04-09 03:59:59 > 04:00:00 ; 2016-12-09 04:59:59 > 05:00:00
        cron | America/New_York | - | * * * */4 * | 2016-01-09 04:59:59 > 05:00:00 ; 2016-02-09 04:59:59 > 2016-05-01 04:00:00
        cron | America/New_York | - | * * * */3 * | 2016-12-09 04:59:59 > 2017-01-01 05:00:00
        cron | America/New_York | - | * * * */5 * | 2016-12-09 04:59:59 > 2017-01-01 05:00:00
        cron | America/New_York | - | * * * APR-NOV * | 2016-12-09 04:59:59 > 2017-04-01 04:00:00
        cron | America/New_York | - | * * * 2-4,JUN,7,SEP-nov * | 2016-01-01 04:59:59 > 2016-02-01 05:00:00 ; 2016-02-10 04:59:59 > 05:00:00 ; 2016-03-01 04:59:59 > 05:00:00 ; 2016-05-20 03:59:59 > 2016-06-01 04:00:00 ; 2016-06-10 03:59:59 > 04:00:00 ; 2016-07-05 03:59:59 > 04:00:00 ; 2016-08-15 03:59:59 > 2016-09-01 04:00:00 ; 2016-11-25 04:59:59 > 05:00:00 ; 2016-12-01 04:59:59 > 2017-02-01 05:00:00
        cron | America/New_York | - | * * * 12-2 * | 2016-05-19 03:59:59 > 2016-12-01 05:00:00 ; 2017-01-19 04:59:59 > 05:00:00 ; 2017-02-19 04:59:59 > 05:00:00 ; 2017-03-19 03:59:59 > 2017-12-01 05:00:00
        cron | America/New_York | - | * * * 9-8/3 * | 2016-07-19 03:59:59 > 2016-09-01 04:00:00 ; 2016-10-19 03:59:59 > 2016-12-01 05:00:00 ; 2017-01-19 04:59:59 > 2017-03-01 05:00:00 ; 2017-04-19 03:59:59 > 2017-06-01 04:00:00
        cron | America/New_York | - | * * * * 5 | 2016-12-07 04:59:59 > 2016-12-09 05:00:00 ; 2016-12-09 04:59:59 > 05:00:00
        cron | America/New_York | - | * * * * 05 | 2016-12-10 04:59:59 > 2016-12-16 05:00:00
        cron | America/New_York | - | * * * * 3,5,7 | 2016-12-09 04:59:59 > 05:00:00 ; 2016-12-10 04:59:59 > 2016-12-11 05:00:00 ; 2016-12-12 04:59:59 > 2016-12-14 05:00:00
        cron | America/New_York | - | * * * * 4-7 | 2016-12-08 04:59:59 > 05:00:00 ; 2016-12-10 04:59:59 > 05:00:00 ; 2016-12-11 04:59:59 > 05:00:00
        cron | America/New_York | - | * * * * 4-07 | 2016-12-12 04:59:59 > 2016-12-15 05:00:00
        cron | America/New_York | - | * * * * FRI | 2016-12-08 04:59:59 > 2016-12-09 05:00:00
        cron | America/New_York | - | * * * * tue/2 | 2016-12-09 04:59:59 > 2016-12-10 05:00:00 ; 2016-12-11 04:59:59 > 2016-12-13 05:00:00
        cron | America/New_York | - | * * * * FRI/3 | 2016-12-03 04:59:59 > 2016-12-09 05:00:00
        cron | America/New_York | - | * * * * thu-sat | 2016-12-04 04:59:59 > 2016-12-08 05:00:00 ; 2016-12-09 04:59:59 > 05:00:00 ; 2016-12-10 04:59:59 > 05:00:00 ; 2016-12-12 04:59:59 > 2016-12-15 05:00:00
        cron | America/New_York | - | * * * * */5 | 2016-12-08 04:59:59 > 2016-12-09 05:00:00 ; 2016-12-10 04:59:59 > 2016-12-11 05:00:00 ; 2016-12-12 04:59:59 > 2016-12-16 05:00:00
        cron | America/New_York | - | * * ? * thu-sun | 2016-12-09 04:59:59 > 05:00:00
        cron | America/New_York | - | * * ? * sat-tue | 2016-12-10 04:59:59 > 05:00:00 ; 2016-12-11 04:59:59 > 05:00:00 ; 2016-12-12 04:59:59 > 05:00:00 ; 2016-12-13 04:59:59 > 05:00:00 ; 2016-12-14 04:59:59 > 2016-12-17 05:00:00
        cron | America/New_York | - | * * ? * sat-tue/2 | 2016-12-10 04:59:59 > 05:00:00 ; 2016-12-11 04:59:59 > 2016-12-12 05:00:00 ; 2016-12-12 04:59:59 > 05:00:00 ; 2016-12-13 04:59:59 > 2016-12-17 05:00:00
        cron | America/New_York | - | 00 00 11 12 0 | 2016-12-07 04:59:59 > 2016-12-11 05:00:00
        cron | America/New_York | - | 00 00 11 12 7 | 2016-12-09 04:59:59 > 2016-12-11 05:00:00
        cron | America/New_York | - | 00 00 11 12 SUN | 2016-12-10 04:59:59 > 2016-12-11 05:00:00
        cron | America/New_York | - | 00 00 11 12 sun | 2016-12-09 04:59:59 > 2016-12-11 05:00:00
        cron | America/New_York | - | 47 17 09 12 5 | 2016-10-01 03:59:59 > 2016-12-09 22:47:00 ≠ either
        cron | America/New_York | - | 47 17 09 DEC FRI | 2016-07-05 03:59:59 > 2016-12-09 22:47:00 ≠ either
        cron | America/New_York | - | 40-50 15-20 5-10 11,12 5,6,7 | 2016-12-01 04:59:59 > 2016-12-09 20:40:00 ; 2016-12-09 20:39:59 > 20:40:00 ; 2016-12-09 20:44:59 > 20:45:00 ; 2016-12-09 20:50:59 > 21:40:00 ; 2016-12-10 02:49:59 > 20:40:00 ; 2016-12-12 02:49:59 > 2017-11-05 20:40:00 ≠ either
        cron | America/New_York | - | 05 18 13 01 05 | 2016-01-01 04:59:59 > 2017-01-13 23:05:00 ≠ either
        cron | America/New_York | - | 05 18 13 * 05 | 2016-01-01 04:59:59 > 2016-05-13 22:05:00 ; 2016-09-01 03:59:59 > 2017-01-13 23:05:00 ; 2017-02-01 04:59:59 > 2017-10-13 22:05:00 ≠ either
        cron | America/New_York | - | 0 0 * * * | 2017-01-15 03:59:59 > 05:00:00 ; 2018-01-01 04:58:59 > 05:00:00
        cron | America/New_York | - | 0 0 1 * * | 2016-02-10 04:59:59 > 2016-03-01 05:00:00 ; 2017-02-10 04:59:59 > 2017-03-01 05:00:00 ; 2017-04-10 03:59:59 > 2017-05-01 04:00:00 ; 2017-01-30 04:59:59 > 2017-02-01 05:00:00
        cron | America/New_York | - | 0 0 30 * * | 2017-02-25 04:59:59 > 2017-03-30 04:00:00
        cron | America/New_York | - | 0 0 31 * * | 2017-02-25 04:59:59 > 2017-03-31 04:00:00 ; 2017-04-01 03:59:59 > 2017-05-31 04:00:00
        cron | America/New_York | - | 0 0 29 2 * | 2016-03-10 04:59:59 > 2020-02-29 05:00:00
        cron | America/New_York | - | * * L * * | 2016-01-05 04:59:59 > 2016-01-31 05:00:00 ; 2016-01-31 04:59:59 > 05:00:00 ; 2016-02-05 04:59:59 > 2016-02-29 05:00:00 ; 2016-02-29 04:59:59 > 05:00:00 ; 2017-02-28 04:59:59 > 05:00:00 ; 2016-03-05 04:59:59 > 2016-03-31 04:00:00 ; 2016-03-31 03:59:59 > 04:00:00 ; 2016-04-05 03:59:59 > 2016-04-30 04:00:00 ; 2016-04-30 03:59:59 > 04:00:00 ; 2016-05-05 03:59:59 > 2016-05-31 04:00:00 ; 2016-05-31 03:59:59 > 04:00:00 ; 2016-06-05 03:59:59 > 2016-06-30 04:00:00 ; 2016-06-30 03:59:59 > 04:00:00 ; 2016-07-05 03:59:59 > 2016-07-31 04:00:00 ; 2016-07-31 03:59:59 > 04:00:00 ; 2016-08-05 03:59:59 > 2016-08-31 04:00:00 ; 2016-08-31 03:59:59 > 04:00:00 ; 2016-09-05 03:59:59 > 2016-09-30 04:00:00 ; 2016-09-30 03:59:59 > 04:00:00 ; 2016-10-05 03:59:59 > 2016-10-31 04:00:00 ; 2016-10-31 03:59:59 > 04:00:00 ; 2016-11-05 03:59:59 > 2016-11-30 05:00:00 ; 2016-12-05 04:59:59 > 2016-12-31 05:00:00 ; 2016-12-31 04:59:59 > 05:00:00 ; 2099-12-05 04:59:59 > 2099-12-31 05:00:00 ; 2099-12-31 04:59:59 > 05:00:00
        cron | America/New_York | - | * * L 2 * | 2016-02-29 04:59:59 > 05:00:00
        cron | America/New_York | - | * * L-1 * * | 2016-01-01 04:59:59 > 2016-01-30 05:00:00 ; 2016-01-29 04:59:59 > 2016-01-30 05:00:00 ; 2016-01-30 04:59:59 > 05:00:00 ; 2016-01-31 04:59:59 > 2016-02-28 05:00:00 ; 2016-02-01 04:59:59 > 2016-02-28 05:00:00 ; 2016-02-28 04:59:59 > 05:00:00 ; 2017-02-01 04:59:59 > 2017-02-27 05:00:00 ; 2017-02-27 04:59:59 > 05:00:00 ; 2016-04-01 03:59:59 > 2016-04-29 04:00:00 ; 2016-04-29 03:59:59 > 04:00:00 ; 2016-12-01 04:59:59 > 2016-12-30 05:00:00
        cron | America/New_York | - | * * L-2 * * | 2016-01-05 04:59:59 > 2016-01-29 05:00:00 ; 2016-01-30 04:59:59 > 2016-02-27 05:00:00 ; 2016-02-01 04:59:59 > 2016-02-27 05:00:00 ; 2017-02-01 04:59:59 > 2017-02-26 05:00:00 ; 2016-04-01 03:59:59 > 2016-04-28 04:00:00 ; 2016-12-01 04:59:59 > 2016-12-29 05:00:00 ; 2016-12-29 04:59:59 > 05:00:00 ; 2016-12-30 04:59:59 > 2017-01-29 05:00:00
        cron | America/New_York | - | * * L-28 * * | 2016-01-01 04:59:59 > 2016-01-03 05:00:00 ; 2016-04-01 03:59:59 > 2016-04-02 04:00:00 ; 2016-02-01 04:59:59 > 05:00:00 ; 2017-02-01 04:59:59 > 2017-03-03 05:00:00
        cron | America/New_York | - | * * L-29 * * | 2016-01-01 04:59:59 > 2016-01-02 05:00:00 ; 2016-04-01 03:59:59 > 04:00:00 ; 2016-02-01 04:59:59 > 2016-03-02 05:00:00 ; 2017-02-01 04:59:59 > 2017-03-02 05:00:00
        cron | America/New_York | - | * * L-30 * * | 2016-01-01 04:59:59 > 05:00:00 ; 2016-04-01 03:59:59 > 2016-05-01 04:00:00 ; 2016-02-01 04:59:59 > 2016-03-01 05:00:00 ; 2017-02-01 04:59:59 > 2017-03-01 05:00:00
        cron | America/New_York | - | * * * * 0L | 2017-01-29 04:59:59 > 05:00:00 ; 2017-01-01 04:59:59 > 2017-01-29 05:00:00
        cron | America/New_York | - | * * * * 1L | 2017-01-30 04:59:59 > 05:00:00 ; 2017-01-01 04:59:59 > 2017-01-30 05:00:00
        cron | America/New_York | - | * * * * 2L | 2017-01-31 04:59:59 > 05:00:00 ; 2017-01-01 04:59:59 > 2017-01-31 05:00:00
        cron | America/New_York | - | * * * * 3L | 2017-01-25 04:59:59 > 05:00:00 ; 2017-01-01 04:59:59 > 2017-01-25 05:00:00
        cron | America/New_York | - | * * * * 4L | 2017-01-26 04:59:59 > 05:00:00 ; 2017-01-01 04:59:59 > 2017-01-26 05:00:00
        cron | America/New_York | - | * * * * 5L | 2017-01-27 04:59:59 > 05:00:00 ; 2017-01-01 04:59:59 > 2017-01-27 05:00:00
        cron | America/New_York | - | * * * * 6L | 2017-01-28 04:59:59 > 05:00:00 ; 2017-01-01 04:59:59 > 2017-01-28 05:00:00
        cron | America/New_York | - | * * * * 7L | 2017-01-29 04:59:59 > 05:00:00 ; 2016-12-31 04:59:59 > 2017-01-29 05:00:00
        cron | America/New_York | - | * * * * SUN#1 | 2017-01-01 04:59:59 > 05:00:00
        cron | America/New_York | - | * * * * 0#1 | 2017-01-01 04:59:59 > 05:00:00 ; 2016-12-10 04:59:59 > 2017-01-01 05:00:00 ; 2017-02-01 04:59:59 > 2017-02-05 05:00:00
        cron | America/New_York | - | * * * * 0#2 | 2017-01-01 04:59:59 > 2017-01-08 05:00:00 ; 2017-01-08 04:59:59 > 05:00:00
        cron | America/New_York | - | * * * * 5#3 | 2017-01-01 04:59:59 > 2017-01-20 05:00:00 ; 2017-01-21 04:59:59 > 2017-02-17 05:00:00
        cron | America/New_York | - | * * * * 3#2 | 2017-01-01 04:59:59 > 2017-01-11 05:00:00
        cron | America/New_York | - | * * * * 2#5 | 2017-02-01 04:59:59 > 2017-05-30 04:00:00
        cron | America/New_York | - | * * 1W * * | 2017-01-01 04:59:59 > 2017-01-02 05:00:00 ; 2017-04-01 03:59:59 > 2017-04-03 04:00:00
        cron | America/New_York | - | * * 2W * * | 2017-01-02 04:59:59 > 05:00:00
        cron | America/New_York | - | * * 6W * * | 2017-01-02 04:59:59 > 2017-01-06 05:00:00
        cron | America/New_York | - | * * 7W * * | 2017-01-02 04:59:59 > 2017-01-06 05:00:00 ; 2017-01-07 04:59:59 > 2017-02-07 05:00:00
        cron | America/New_York | - | * * 8W * * | 2017-01-02 04:59:59 > 2017-01-09 05:00:00
        cron | America/New_York | - | * * 30W * * | 2017-04-27 03:59:59 > 2017-04-28 04:00:00 ; 2017-04-28 03:59:59 > 04:00:00 ; 2017-04-29 03:59:59 > 2017-05-30 04:00:00
        cron | America/New_York | - | 30 17 7W * * | 2017-01-06 22:44:59 > 2017-02-07 22:30:00
        cron | America/New_York | - | 30,45 17 7W * * | 2017-01-06 22:44:59 > 22:45:00
        cron | America/New_York | - | 30,55 17 7W * * | 2017-01-06 22:44:59 > 22:55:00
        cron | America/New_York | - | 30 17 30W * * | 2017-04-28 21:44:59 > 2017-05-30 21:30:00 ; 2017-02-06 04:59:59 > 2017-03-30 21:30:00
        cron | America/New_York | - | 30,45 17 30W * * | 2017-04-28 21:44:59 > 21:45:00
        cron | America/New_York | - | 30,55 17 30W * * | 2017-04-28 21:44:59 > 21:55:00
        cron | America/New_York | - | 30 17 31W * * | 2018-03-30 21:44:59 > 2018-05-31 21:30:00
        cron | America/New_York | - | 30 17 15W * * | 2016-12-30 22:44:59 > 2017-01-16 22:30:00
        cron | America/New_York | - | * * LW * * | 2017-01-01 04:59:59 > 2017-01-31 05:00:00 ; 2017-09-01 03:59:59 > 2017-09-29 04:00:00 ; 2017-09-29 03:59:59 > 04:00:00 ; 2017-09-30 03:59:59 > 2017-10-31 04:00:00 ; 2017-04-01 03:59:59 > 2017-04-28 04:00:00 ; 2017-04-28 03:59:59 > 04:00:00 ; 2017-04-29 03:59:59 > 2017-05-31 04:00:00 ; 2017-05-30 03:59:59 > 2017-05-31 04:00:00
        cron | America/New_York | - | 30 17 LW * * | 2017-09-29 21:44:59 > 2017-10-31 21:30:00
        cron | America/New_York | - | * * L-1W * * | 2017-01-01 04:59:59 > 2017-01-30 05:00:00 ; 2016-02-01 04:59:59 > 2016-02-29 05:00:00 ; 2017-02-01 04:59:59 > 2017-02-27 05:00:00
        cron | America/New_York | - | * * L-2W * * | 2017-01-01 04:59:59 > 2017-01-30 05:00:00 ; 2016-02-01 04:59:59 > 2016-02-26 05:00:00 ; 2017-02-01 04:59:59 > 2017-02-27 05:00:00
        cron | America/New_York | - | * * L-3W * * | 2017-01-01 04:59:59 > 2017-01-27 05:00:00 ; 2016-02-01 04:59:59 > 2016-02-26 05:00:00 ; 2017-02-01 04:59:59 > 2017-02-24 05:00:00
        cron | America/New_York | - | * * L-4W * * | 2017-01-01 04:59:59 > 2017-01-27 05:00:00
        cron | America/New_York | - | * * L-0W * * | 2016-02-01 04:59:59 > 2016-02-29 05:00:00 ; 2017-02-01 04:59:59 > 2017-02-28 05:00:00 ≠ lastDay
        cron | America/New_York | - | * * ? 11 * | 2016-10-09 03:59:59 > 2016-11-01 04:00:00
        cron | America/New_York | - | ? ? ? ? ? | 2016-12-09 21:45:59 > 21:46:00 ≠ mark
        cron | America/New_York | - | * * * * ? | 2016-12-09 21:45:59 > 21:46:00 ; 2016-12-30 21:45:59 > 21:46:00 ; 2016-12-09 21:08:59 > 21:09:00
        cron | America/New_York | - | * * ? * * | 2016-03-09 21:45:59 > 21:46:00 ; 2016-12-09 07:45:59 > 07:46:00 ; 2099-12-09 21:45:59 > 21:46:00
        spring | UTC | - | * * * * * * | 2017-03-16 16:00:00 > 16:00:01
        spring | UTC | - | 5 * * * * * | 2017-03-16 16:00:05 > 16:01:05
        spring | UTC | - | * 5 * * * * | 2017-03-16 16:05:00 > 16:05:01
        spring | UTC | - | * * 5 * * * | 2017-03-16 05:00:00 > 05:00:01
        spring | UTC | - | * * * 5 * * | 2017-03-05 16:00:00 > 16:00:01
        spring | UTC | - | * * * * 5 * | 2017-05-16 16:00:00 > 16:00:01
        spring | UTC | - | * * * * * 5 | 2017-03-17 16:00:00 > 16:00:01
        spring | UTC | - | 5 5 * * * * | 2017-03-16 16:05:05 > 17:05:05
        spring | UTC | - | 5 5 5 * * * | 2017-03-16 05:05:05 > 2017-03-17 05:05:05
        spring | UTC | - | 5 5 5 5 * * | 2017-03-05 05:05:05 > 2017-04-05 05:05:05
        spring | UTC | - | 5 5 5 5 5 * | 2017-05-05 05:05:05 > 2018-05-05 05:05:05
        spring | UTC | - | 5 5 5 5 5 5 | 2017-05-05 05:05:05 > 2023-05-05 05:05:05
        # robfig/cron bc59245 (MIT), spec_test.go
        cron | UTC | skip both | 0/15 * * * * | 2012-07-09 14:59:59 > 15:00:00 ; 2012-07-09 15:44:59 > 15:45:00 ; 2012-07-09 15:39:59 > not 2012-07-09 15:40:00
        cron | UTC | skip both | 5/15 * * * * | 2012-07-09 15:04:59 > 15:05:00 ; 2012-07-09 15:19:59 > 15:20:00 ; 2012-07-09 15:49:59 > 15:50:00
        cron | UTC | skip both | 0/15 * * Jul * | 2012-07-15 14:59:59 > 15:00:00
        cron | UTC | skip both | 0/15 * * Jun * | 2012-07-15 14:59:59 > not 2012-07-15 15:00:00
        cron | UTC | skip both | 30 08 ? Jul Sun | 2012-07-15 08:29:59 > 08:30:00 ; 2012-07-16 08:29:59 > not 2012-07-16 08:30:00
        cron | UTC | skip both | 30 08 15 Jul ? | 2012-07-15 08:29:59 > 08:30:00 ; 2012-07-16 08:29:59 > not 2012-07-16 08:30:00
        cron | UTC | skip both | @hourly | 2012-07-09 14:59:59 > 15:00:00 ; 2012-07-09 15:03:59 > not 2012-07-09 15:04:00
        cron | UTC | skip both | @daily | 2012-07-09 14:59:59 > not 2012-07-09 15:00:00 ; 2012-07-08 23:59:59 > 2012-07-09 00:00:00
        cron | UTC | skip both | @weekly | 2012-07-08 23:59:59 > not 2012-07-09 00:00:00 ; 2012-07-07 23:59:59 > 2012-07-08 00:00:00 ; 2012-07-08 00:59:59 > not 2012-07-08 01:00:00
        cron | UTC | skip both | @monthly | 2012-07-07 23:59:59 > not 2012-07-08 00:00:00 ; 2012-06-30 23:59:59 > 2012-07-01 00:00:00
        cron | UTC | skip both | * * 1,15 * Sun | 2012-07-14 23:59:59 > 2012-07-15 00:00:00 ; 2012-06-14 23:59:59 > 2012-06-15 00:00:00 ; 2012-07-31 23:59:59 > 2012-08-01 00:00:00
        cron | UTC | skip both | * * */10 * Sun | 2012-07-14 23:59:59 > 2012-07-15 00:00:00 ≠ star
        cron | UTC | skip both | * * * * Mon | 2012-07-14 23:59:59 > not 2012-07-15 00:00:00
        cron | UTC | skip both | * * 1,15 * * | 2012-07-08 23:59:59 > not 2012-07-09 00:00:00 ; 2012-07-14 23:59:59 > 2012-07-15 00:00:00
        cron | UTC | skip both | * * */2 * Sun | 2012-07-14 23:59:59 > 2012-07-15 00:00:00
        cron | UTC | skip both | 0 0/15 * * * * | 2012-07-09 14:45:00 > 15:00:00 ; 2012-07-09 14:59:00 > 15:00:00 ; 2012-07-09 14:59:59 > 15:00:00
        cron | UTC | skip both | 0 20-35/15 * * * * | 2012-07-09 15:45:00 > 16:20:00 ; 2012-07-09 23:45:00 > 2012-07-10 00:20:00
        cron | UTC | skip both | 0 */15 * * * * | 2012-07-09 23:46:00 > 2012-07-10 00:00:00
        cron | UTC | skip both | 15/35 20-35/15 * * * * | 2012-07-09 23:35:51 > 2012-07-10 00:20:15
        cron | UTC | skip both | 15/35 20-35/15 1/2 * * * | 2012-07-09 23:35:51 > 2012-07-10 01:20:15
        cron | UTC | skip both | 15/35 20-35/15 10-12 * * * | 2012-07-09 23:35:51 > 2012-07-10 10:20:15
        cron | UTC | skip both | 15/35 20-35/15 1/2 */2 * * | 2012-07-09 23:35:51 > 2012-07-11 01:20:15
        cron | UTC | skip both | 15/35 20-35/15 * 9-20 * * | 2012-07-09 23:35:51 > 2012-07-10 00:20:15
        cron | UTC | skip both | 15/35 20-35/15 * 9-20 Jul * | 2012-07-09 23:35:51 > 2012-07-10 00:20:15
        spring | UTC | skip both | 0 0 0 9 Apr-Oct ? | 2012-07-09 23:35:00 > 2012-08-09 00:00:00
        cron | UTC | skip both | 0 0 0 */5 Apr,Aug,Oct Mon | 2012-07-09 23:35:00 > 2012-08-01 00:00:00 ≠ star
        cron | UTC | skip both | 0 0 0 */5 Oct Mon | 2012-07-09 23:35:00 > 2012-10-01 00:00:00
        cron | UTC | skip both | 0 0 0 * Feb Mon | 2012-07-09 23:35:00 > 2013-02-04 00:00:00
        cron | UTC | skip both | 0 0 0 * Feb Mon/2 | 2012-07-09 23:35:00 > 2013-02-01 00:00:00
        cron | UTC | skip both | 0 * * * * * | 2012-12-31 23:59:45 > 2013-01-01 00:00:00
        spring | UTC | skip both | 0 0 0 29 Feb ? | 2012-07-09 23:35:00 > 2016-02-29 00:00:00
        spring | America/New_York | skip both | 0 30 2 11 Mar ? | 2012-03-11 05:00:00 > 2013-03-11 06:30:00
        spring | America/New_York | skip both | 0 0 * * * ? | 2012-03-11 05:00:00 > 06:00:00 ; 2012-03-11 06:00:00 > 07:00:00 ; 2012-03-11 07:00:00 > 08:00:00 ; 2012-03-11 08:00:00 > 09:00:00 ; 2012-11-04 04:00:00 > 05:00:00 ; 2012-11-04 05:00:00 > 06:00:00 ; 2012-11-04 06:00:00 > 07:00:00
        spring | America/New_York | skip both | 0 0 1 * * ? | 2012-03-11 05:00:00 > 06:00:00 ; 2012-03-11 06:00:00 > 2012-03-12 05:00:00 ; 2012-11-04 04:00:00 > 05:00:00 ; 2012-11-04 05:00:00 > 06:00:00 ; 2012-11-04 06:00:00 > 2012-11-05 06:00:00
        spring | America/New_York | skip both | 0 0 2 * * ? | 2012-03-11 05:00:00 > 2012-03-12 06:00:00 ; 2012-11-04 04:00:00 > 07:00:00 ; 2012-11-04 07:00:00 > 2012-11-05 07:00:00
        spring | America/New_York | skip both | 0 30 2 04 Nov ? | 2012-11-04 04:00:00 > 07:30:00
        spring | America/New_York | skip both | 0 30 1 04 Nov ? | 2012-11-04 05:45:00 > 06:30:00
        spring | America/New_York | skip both | 0 0 3 * * ? | 2012-11-04 04:00:00 > 08:00:00 ; 2012-11-04 08:00:00 > 2012-11-05 08:00:00
        spring | UTC | skip both | 0 0 0 30 Feb ? | 2012-07-09 23:35:00 > none
        spring | UTC | skip both | 0 0 0 31 Apr ? | 2012-07-09 23:35:00 > none
        spring | America/New_York | skip both | 0 0 3 3 * ? | 2012-11-04 04:00:00 > 2012-12-03 08:00:00
        spring | America/Sao_Paulo | skip both | 0 0 9 10 * ? | 2018-10-17 09:00:00 > 2018-11-10 11:00:00
        spring | America/Sao_Paulo | skip both | 0 0 9 22 * ? | 2018-02-14 10:00:00 > 2018-02-22 12:00:00
        cron | UTC | - | xyz | refused
        cron | UTC | - | 60 0 * * * | refused
        cron | UTC | - | 0 60 * * * | refused
        cron | UTC | - | 0 0 * * XYZ | refused
        # gorhill/cronexpr 88b0669 (Apache 2.0), cronexpr_test.go
        cron | UTC | - | * * * * * * * | 2013-01-01 00:00:00 > 00:00:01 ; 2013-01-01 00:00:59 > 00:01:00 ; 2013-01-01 00:59:59 > 01:00:00 ; 2013-01-01 23:59:59 > 2013-01-02 00:00:00 ; 2013-02-28 23:59:59 > 2013-03-01 00:00:00 ; 2016-02-28 23:59:59 > 2016-02-29 00:00:00 ; 2012-12-31 23:59:59 > 2013-01-01 00:00:00
        cron | UTC | - | */5 * * * * * * | 2013-01-01 00:00:00 > 00:00:05 ; 2013-01-01 00:00:59 > 00:01:00 ; 2013-01-01 00:59:59 > 01:00:00 ; 2013-01-01 23:59:59 > 2013-01-02 00:00:00 ; 2013-02-28 23:59:59 > 2013-03-01 00:00:00 ; 2016-02-28 23:59:59 > 2016-02-29 00:00:00 ; 2012-12-31 23:59:59 > 2013-01-01 00:00:00
        cron | UTC | - | * * * * * | 2013-01-01 00:00:00 > 00:01:00 ; 2013-01-01 00:00:59 > 00:01:00 ; 2013-01-01 00:59:00 > 01:00:00 ; 2013-01-01 23:59:00 > 2013-01-02 00:00:00 ; 2013-02-28 23:59:00 > 2013-03-01 00:00:00 ; 2016-02-28 23:59:00 > 2016-02-29 00:00:00 ; 2012-12-31 23:59:00 > 2013-01-01 00:00:00
        cron | UTC | - | 17-43/5 * * * * | 2013-01-01 00:00:00 > 00:17:00 ; 2013-01-01 00:16:59 > 00:17:00 ; 2013-01-01 00:30:00 > 00:32:00 ; 2013-01-01 00:50:00 > 01:17:00 ; 2013-01-01 23:50:00 > 2013-01-02 00:17:00 ; 2013-02-28 23:50:00 > 2013-03-01 00:17:00 ; 2016-02-28 23:50:00 > 2016-02-29 00:17:00 ; 2012-12-31 23:50:00 > 2013-01-01 00:17:00
        cron | UTC | - | 15-30/4,55 * * * * | 2013-01-01 00:00:00 > 00:15:00 ; 2013-01-01 00:16:00 > 00:19:00 ; 2013-01-01 00:30:00 > 00:55:00 ; 2013-01-01 00:55:00 > 01:15:00 ; 2013-01-01 23:55:00 > 2013-01-02 00:15:00 ; 2013-02-28 23:55:00 > 2013-03-01 00:15:00 ; 2016-02-28 23:55:00 > 2016-02-29 00:15:00 ; 2012-12-31 23:54:00 > 23:55:00 ; 2012-12-31 23:55:00 > 2013-01-01 00:15:00
        cron | UTC | - | 0 0 * * MON | 2013-01-01 00:00:00 > 2013-01-07 00:00:00 ; 2013-01-28 00:00:00 > 2013-02-04 00:00:00 ; 2013-12-30 00:30:00 > 2014-01-06 00:00:00
        cron | UTC | - | 0 0 * * friday | 2013-01-01 00:00:00 > 2013-01-04 00:00:00 ; 2013-01-28 00:00:00 > 2013-02-01 00:00:00 ; 2013-12-30 00:30:00 > 2014-01-03 00:00:00
        cron | UTC | - | 0 0 * * 6,7 | 2013-01-01 00:00:00 > 2013-01-05 00:00:00 ; 2013-01-28 00:00:00 > 2013-02-02 00:00:00 ; 2013-12-30 00:30:00 > 2014-01-04 00:00:00
        cron | UTC | - | 0 0 * * 6#5 | 2013-09-02 00:00:00 > 2013-11-30 00:00:00
        cron | UTC | - | 0 0 14W * * | 2013-03-31 00:00:00 > 2013-04-15 00:00:00 ; 2013-08-31 00:00:00 > 2013-09-13 00:00:00
        cron | UTC | - | 0 0 30W * * | 2013-03-02 00:00:00 > 2013-03-29 00:00:00 ; 2013-06-02 00:00:00 > 2013-06-28 00:00:00 ; 2013-09-02 00:00:00 > 2013-09-30 00:00:00 ; 2013-11-02 00:00:00 > 2013-11-29 00:00:00
        cron | UTC | - | 0 0 L * * | 2013-09-02 00:00:00 > 2013-09-30 00:00:00 ; 2014-01-01 00:00:00 > 2014-01-31 00:00:00 ; 2014-02-01 00:00:00 > 2014-02-28 00:00:00 ; 2016-02-15 00:00:00 > 2016-02-29 00:00:00
        cron | UTC | - | 0 0 LW * * | 2013-09-02 00:00:00 > 2013-09-30 00:00:00 ; 2013-11-02 00:00:00 > 2013-11-29 00:00:00 ; 2014-08-15 00:00:00 > 2014-08-29 00:00:00
        cron | UTC | - | */60 * * * * * | refused ≠ step
        cron | UTC | - | */61 * * * * * | refused ≠ step
        cron | UTC | - | 2/60 * * * * * | refused ≠ step
        cron | UTC | - | 2-20/61 * * * * * | refused ≠ step
        # teambition/rrule-go e74d163 (MIT), rrule_test.go
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYMONTHDAY=-1 | 1990-01-01 00:00:00 > 1997-09-30 09:00:00 & 1997-10-31 09:00:00 & 1997-11-30 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;BYMONTHDAY=31;BYYEARDAY=1 | 1990-01-01 00:00:00 > none ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;BYSETPOS=1,-1,2;UNTIL=19970902T110000 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-02 10:00:00 & 1997-09-02 11:00:00 ≠ position
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1998-09-02 09:00:00 & 1999-09-02 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;INTERVAL=2;COUNT=3 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1999-09-02 09:00:00 & 2001-09-02 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;INTERVAL=100;COUNT=3 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 2097-09-02 09:00:00 & 2197-09-02 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYMONTH=1,3 | 1990-01-01 00:00:00 > 1998-01-02 09:00:00 & 1998-03-02 09:00:00 & 1999-01-02 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYMONTHDAY=1,3 | 1990-01-01 00:00:00 > 1997-09-03 09:00:00 & 1997-10-01 09:00:00 & 1997-10-03 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYMONTH=1,3;BYMONTHDAY=5,7 | 1990-01-01 00:00:00 > 1998-01-05 09:00:00 & 1998-01-07 09:00:00 & 1998-03-05 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-04 09:00:00 & 1997-09-09 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYDAY=1TU,-1TH | 1990-01-01 00:00:00 > 1997-12-25 09:00:00 & 1998-01-06 09:00:00 & 1998-12-31 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYDAY=3TU,-3TH | 1990-01-01 00:00:00 > 1997-12-11 09:00:00 & 1998-01-20 09:00:00 & 1998-12-17 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYMONTH=1,3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1998-01-01 09:00:00 & 1998-01-06 09:00:00 & 1998-01-08 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYMONTH=1,3;BYDAY=1TU,-1TH | 1990-01-01 00:00:00 > 1998-01-06 09:00:00 & 1998-01-29 09:00:00 & 1998-03-03 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYMONTH=1,3;BYDAY=3TU,-3TH | 1990-01-01 00:00:00 > 1998-01-15 09:00:00 & 1998-01-20 09:00:00 & 1998-03-12 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYMONTHDAY=1,3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1998-01-01 09:00:00 & 1998-02-03 09:00:00 & 1998-03-03 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYMONTH=1,3;BYMONTHDAY=1,3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1998-01-01 09:00:00 & 1998-03-03 09:00:00 & 2001-03-01 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=4;BYYEARDAY=1,100,200,365 | 1990-01-01 00:00:00 > 1997-12-31 09:00:00 & 1998-01-01 09:00:00 & 1998-04-10 09:00:00 & 1998-07-19 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=4;BYYEARDAY=-365,-266,-166,-1 | 1990-01-01 00:00:00 > 1997-12-31 09:00:00 & 1998-01-01 09:00:00 & 1998-04-10 09:00:00 & 1998-07-19 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=4;BYMONTH=4,7;BYYEARDAY=1,100,200,365 | 1990-01-01 00:00:00 > 1998-04-10 09:00:00 & 1998-07-19 09:00:00 & 1999-04-10 09:00:00 & 1999-07-19 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=4;BYMONTH=4,7;BYYEARDAY=-365,-266,-166,-1 | 1990-01-01 00:00:00 > 1998-04-10 09:00:00 & 1998-07-19 09:00:00 & 1999-04-10 09:00:00 & 1999-07-19 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYWEEKNO=20 | 1990-01-01 00:00:00 > 1998-05-11 09:00:00 & 1998-05-12 09:00:00 & 1998-05-13 09:00:00 ≠ weekNumber
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYWEEKNO=1;BYDAY=MO | 1990-01-01 00:00:00 > 1997-12-29 09:00:00 & 1999-01-04 09:00:00 & 2000-01-03 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYWEEKNO=52;BYDAY=SU | 1990-01-01 00:00:00 > 1997-12-28 09:00:00 & 1998-12-27 09:00:00 & 2000-01-02 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYWEEKNO=-1;BYDAY=SU | 1990-01-01 00:00:00 > 1997-12-28 09:00:00 & 1999-01-03 09:00:00 & 2000-01-02 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYWEEKNO=53;BYDAY=MO | 1990-01-01 00:00:00 > 1998-12-28 09:00:00 & 2004-12-27 09:00:00 & 2009-12-28 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYHOUR=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:00:00 & 1998-09-02 06:00:00 & 1998-09-02 18:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYMINUTE=6,18 | 1990-01-01 00:00:00 > 1997-09-02 09:06:00 & 1997-09-02 09:18:00 & 1998-09-02 09:06:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 09:00:06 & 1997-09-02 09:00:18 & 1998-09-02 09:00:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYHOUR=6,18;BYMINUTE=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:06:00 & 1997-09-02 18:18:00 & 1998-09-02 06:06:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYHOUR=6,18;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:00:06 & 1997-09-02 18:00:18 & 1998-09-02 06:00:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYMINUTE=6,18;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 09:06:06 & 1997-09-02 09:06:18 & 1997-09-02 09:18:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYHOUR=6,18;BYMINUTE=6,18;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:06:06 & 1997-09-02 18:06:18 & 1997-09-02 18:18:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYMONTHDAY=15;BYHOUR=6,18;BYSETPOS=3,-3 | 1990-01-01 00:00:00 > 1997-11-15 18:00:00 & 1998-02-15 06:00:00 & 1998-11-15 18:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-10-02 09:00:00 & 1997-11-02 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;INTERVAL=2;COUNT=3 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-11-02 09:00:00 & 1998-01-02 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;INTERVAL=18;COUNT=3 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1999-03-02 09:00:00 & 2000-09-02 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYMONTH=1,3 | 1990-01-01 00:00:00 > 1998-01-02 09:00:00 & 1998-03-02 09:00:00 & 1999-01-02 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYMONTHDAY=1,3 | 1990-01-01 00:00:00 > 1997-09-03 09:00:00 & 1997-10-01 09:00:00 & 1997-10-03 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYMONTH=1,3;BYMONTHDAY=5,7 | 1990-01-01 00:00:00 > 1998-01-05 09:00:00 & 1998-01-07 09:00:00 & 1998-03-05 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-04 09:00:00 & 1997-09-09 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYDAY=1TU,-1TH | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-25 09:00:00 & 1997-10-07 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYDAY=3TU,-3TH | 1990-01-01 00:00:00 > 1997-09-11 09:00:00 & 1997-09-16 09:00:00 & 1997-10-16 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYMONTH=1,3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1998-01-01 09:00:00 & 1998-01-06 09:00:00 & 1998-01-08 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYMONTH=1,3;BYDAY=1TU,-1TH | 1990-01-01 00:00:00 > 1998-01-06 09:00:00 & 1998-01-29 09:00:00 & 1998-03-03 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYMONTH=1,3;BYDAY=3TU,-3TH | 1990-01-01 00:00:00 > 1998-01-15 09:00:00 & 1998-01-20 09:00:00 & 1998-03-12 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYMONTHDAY=1,3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1998-01-01 09:00:00 & 1998-02-03 09:00:00 & 1998-03-03 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYMONTH=1,3;BYMONTHDAY=1,3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1998-01-01 09:00:00 & 1998-03-03 09:00:00 & 2001-03-01 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=4;BYYEARDAY=1,100,200,365 | 1990-01-01 00:00:00 > 1997-12-31 09:00:00 & 1998-01-01 09:00:00 & 1998-04-10 09:00:00 & 1998-07-19 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=4;BYYEARDAY=-365,-266,-166,-1 | 1990-01-01 00:00:00 > 1997-12-31 09:00:00 & 1998-01-01 09:00:00 & 1998-04-10 09:00:00 & 1998-07-19 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=4;BYMONTH=4,7;BYYEARDAY=1,100,200,365 | 1990-01-01 00:00:00 > 1998-04-10 09:00:00 & 1998-07-19 09:00:00 & 1999-04-10 09:00:00 & 1999-07-19 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=4;BYMONTH=4,7;BYYEARDAY=-365,-266,-166,-1 | 1990-01-01 00:00:00 > 1998-04-10 09:00:00 & 1998-07-19 09:00:00 & 1999-04-10 09:00:00 & 1999-07-19 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYWEEKNO=20 | 1990-01-01 00:00:00 > 1998-05-11 09:00:00 & 1998-05-12 09:00:00 & 1998-05-13 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYWEEKNO=1;BYDAY=MO | 1990-01-01 00:00:00 > 1997-12-29 09:00:00 & 1999-01-04 09:00:00 & 2000-01-03 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYWEEKNO=52;BYDAY=SU | 1990-01-01 00:00:00 > 1997-12-28 09:00:00 & 1998-12-27 09:00:00 & 2000-01-02 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYWEEKNO=-1;BYDAY=SU | 1990-01-01 00:00:00 > 1997-12-28 09:00:00 & 1999-01-03 09:00:00 & 2000-01-02 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYWEEKNO=53;BYDAY=MO | 1990-01-01 00:00:00 > 1998-12-28 09:00:00 & 2004-12-27 09:00:00 & 2009-12-28 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYHOUR=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:00:00 & 1997-10-02 06:00:00 & 1997-10-02 18:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYMINUTE=6,18 | 1990-01-01 00:00:00 > 1997-09-02 09:06:00 & 1997-09-02 09:18:00 & 1997-10-02 09:06:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 09:00:06 & 1997-09-02 09:00:18 & 1997-10-02 09:00:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYHOUR=6,18;BYMINUTE=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:06:00 & 1997-09-02 18:18:00 & 1997-10-02 06:06:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYHOUR=6,18;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:00:06 & 1997-09-02 18:00:18 & 1997-10-02 06:00:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYMINUTE=6,18;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 09:06:06 & 1997-09-02 09:06:18 & 1997-09-02 09:18:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYHOUR=6,18;BYMINUTE=6,18;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:06:06 & 1997-09-02 18:06:18 & 1997-09-02 18:18:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MONTHLY;COUNT=3;BYMONTHDAY=13,17;BYHOUR=6,18;BYSETPOS=3,-3 | 1990-01-01 00:00:00 > 1997-09-13 18:00:00 & 1997-09-17 06:00:00 & 1997-10-13 18:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=3 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-09 09:00:00 & 1997-09-16 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=3 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-16 09:00:00 & 1997-09-30 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;INTERVAL=20;COUNT=3 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1998-01-20 09:00:00 & 1998-06-09 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=3;BYMONTH=1,3 | 1990-01-01 00:00:00 > 1998-01-06 09:00:00 & 1998-01-13 09:00:00 & 1998-01-20 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=3;BYMONTHDAY=1,3 | 1990-01-01 00:00:00 > 1997-09-03 09:00:00 & 1997-10-01 09:00:00 & 1997-10-03 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=3;BYMONTH=1,3;BYMONTHDAY=5,7 | 1990-01-01 00:00:00 > 1998-01-05 09:00:00 & 1998-01-07 09:00:00 & 1998-03-05 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-04 09:00:00 & 1997-09-09 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=3;BYDAY=1TU,-1TH | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-04 09:00:00 & 1997-09-09 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=3;BYMONTH=1,3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1998-01-01 09:00:00 & 1998-01-06 09:00:00 & 1998-01-08 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=3;BYMONTH=1,3;BYDAY=1TU,-1TH | 1990-01-01 00:00:00 > 1998-01-01 09:00:00 & 1998-01-06 09:00:00 & 1998-01-08 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=3;BYMONTHDAY=1,3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1998-01-01 09:00:00 & 1998-02-03 09:00:00 & 1998-03-03 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=3;BYMONTH=1,3;BYMONTHDAY=1,3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1998-01-01 09:00:00 & 1998-03-03 09:00:00 & 2001-03-01 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=4;BYYEARDAY=1,100,200,365 | 1990-01-01 00:00:00 > 1997-12-31 09:00:00 & 1998-01-01 09:00:00 & 1998-04-10 09:00:00 & 1998-07-19 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=4;BYYEARDAY=-365,-266,-166,-1 | 1990-01-01 00:00:00 > 1997-12-31 09:00:00 & 1998-01-01 09:00:00 & 1998-04-10 09:00:00 & 1998-07-19 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=4;BYMONTH=1,7;BYYEARDAY=1,100,200,365 | 1990-01-01 00:00:00 > 1998-01-01 09:00:00 & 1998-07-19 09:00:00 & 1999-01-01 09:00:00 & 1999-07-19 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=4;BYMONTH=1,7;BYYEARDAY=-365,-266,-166,-1 | 1990-01-01 00:00:00 > 1998-01-01 09:00:00 & 1998-07-19 09:00:00 & 1999-01-01 09:00:00 & 1999-07-19 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=3;BYWEEKNO=20 | 1990-01-01 00:00:00 > 1998-05-11 09:00:00 & 1998-05-12 09:00:00 & 1998-05-13 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=3;BYWEEKNO=1;BYDAY=MO | 1990-01-01 00:00:00 > 1997-12-29 09:00:00 & 1999-01-04 09:00:00 & 2000-01-03 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=3;BYWEEKNO=52;BYDAY=SU | 1990-01-01 00:00:00 > 1997-12-28 09:00:00 & 1998-12-27 09:00:00 & 2000-01-02 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=3;BYWEEKNO=-1;BYDAY=SU | 1990-01-01 00:00:00 > 1997-12-28 09:00:00 & 1999-01-03 09:00:00 & 2000-01-02 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=3;BYWEEKNO=53;BYDAY=MO | 1990-01-01 00:00:00 > 1998-12-28 09:00:00 & 2004-12-27 09:00:00 & 2009-12-28 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=3;BYHOUR=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:00:00 & 1997-09-09 06:00:00 & 1997-09-09 18:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=3;BYMINUTE=6,18 | 1990-01-01 00:00:00 > 1997-09-02 09:06:00 & 1997-09-02 09:18:00 & 1997-09-09 09:06:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=3;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 09:00:06 & 1997-09-02 09:00:18 & 1997-09-09 09:00:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=3;BYHOUR=6,18;BYMINUTE=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:06:00 & 1997-09-02 18:18:00 & 1997-09-09 06:06:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=3;BYHOUR=6,18;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:00:06 & 1997-09-02 18:00:18 & 1997-09-09 06:00:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=3;BYMINUTE=6,18;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 09:06:06 & 1997-09-02 09:06:18 & 1997-09-02 09:18:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=3;BYHOUR=6,18;BYMINUTE=6,18;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:06:06 & 1997-09-02 18:06:18 & 1997-09-02 18:18:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;COUNT=3;BYHOUR=6,18;BYSETPOS=3,-3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1997-09-02 18:00:00 & 1997-09-04 06:00:00 & 1997-09-09 18:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-03 09:00:00 & 1997-09-04 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;INTERVAL=2;COUNT=3 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-04 09:00:00 & 1997-09-06 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;INTERVAL=92;COUNT=3 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-12-03 09:00:00 & 1998-03-05 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;BYMONTH=1,3 | 1990-01-01 00:00:00 > 1998-01-01 09:00:00 & 1998-01-02 09:00:00 & 1998-01-03 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;BYMONTHDAY=1,3 | 1990-01-01 00:00:00 > 1997-09-03 09:00:00 & 1997-10-01 09:00:00 & 1997-10-03 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;BYMONTH=1,3;BYMONTHDAY=5,7 | 1990-01-01 00:00:00 > 1998-01-05 09:00:00 & 1998-01-07 09:00:00 & 1998-03-05 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-04 09:00:00 & 1997-09-09 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;BYDAY=1TU,-1TH | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-04 09:00:00 & 1997-09-09 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;BYMONTH=1,3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1998-01-01 09:00:00 & 1998-01-06 09:00:00 & 1998-01-08 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;BYMONTH=1,3;BYDAY=1TU,-1TH | 1990-01-01 00:00:00 > 1998-01-01 09:00:00 & 1998-01-06 09:00:00 & 1998-01-08 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;BYMONTHDAY=1,3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1998-01-01 09:00:00 & 1998-02-03 09:00:00 & 1998-03-03 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;BYMONTH=1,3;BYMONTHDAY=1,3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1998-01-01 09:00:00 & 1998-03-03 09:00:00 & 2001-03-01 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=4;BYYEARDAY=1,100,200,365 | 1990-01-01 00:00:00 > 1997-12-31 09:00:00 & 1998-01-01 09:00:00 & 1998-04-10 09:00:00 & 1998-07-19 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=4;BYYEARDAY=-365,-266,-166,-1 | 1990-01-01 00:00:00 > 1997-12-31 09:00:00 & 1998-01-01 09:00:00 & 1998-04-10 09:00:00 & 1998-07-19 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=4;BYMONTH=1,7;BYYEARDAY=1,100,200,365 | 1990-01-01 00:00:00 > 1998-01-01 09:00:00 & 1998-07-19 09:00:00 & 1999-01-01 09:00:00 & 1999-07-19 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=4;BYMONTH=1,7;BYYEARDAY=-365,-266,-166,-1 | 1990-01-01 00:00:00 > 1998-01-01 09:00:00 & 1998-07-19 09:00:00 & 1999-01-01 09:00:00 & 1999-07-19 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;BYWEEKNO=20 | 1990-01-01 00:00:00 > 1998-05-11 09:00:00 & 1998-05-12 09:00:00 & 1998-05-13 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;BYWEEKNO=1;BYDAY=MO | 1990-01-01 00:00:00 > 1997-12-29 09:00:00 & 1999-01-04 09:00:00 & 2000-01-03 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;BYWEEKNO=52;BYDAY=SU | 1990-01-01 00:00:00 > 1997-12-28 09:00:00 & 1998-12-27 09:00:00 & 2000-01-02 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;BYWEEKNO=-1;BYDAY=SU | 1990-01-01 00:00:00 > 1997-12-28 09:00:00 & 1999-01-03 09:00:00 & 2000-01-02 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;BYWEEKNO=53;BYDAY=MO | 1990-01-01 00:00:00 > 1998-12-28 09:00:00 & 2004-12-27 09:00:00 & 2009-12-28 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;BYHOUR=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:00:00 & 1997-09-03 06:00:00 & 1997-09-03 18:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;BYMINUTE=6,18 | 1990-01-01 00:00:00 > 1997-09-02 09:06:00 & 1997-09-02 09:18:00 & 1997-09-03 09:06:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 09:00:06 & 1997-09-02 09:00:18 & 1997-09-03 09:00:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;BYHOUR=6,18;BYMINUTE=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:06:00 & 1997-09-02 18:18:00 & 1997-09-03 06:06:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;BYHOUR=6,18;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:00:06 & 1997-09-02 18:00:18 & 1997-09-03 06:00:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;BYMINUTE=6,18;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 09:06:06 & 1997-09-02 09:06:18 & 1997-09-02 09:18:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;BYHOUR=6,18;BYMINUTE=6,18;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:06:06 & 1997-09-02 18:06:18 & 1997-09-02 18:18:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;BYHOUR=6,18;BYMINUTE=15,45;BYSETPOS=3,-3 | 1990-01-01 00:00:00 > 1997-09-02 18:15:00 & 1997-09-03 06:45:00 & 1997-09-03 18:15:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=3 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-02 10:00:00 & 1997-09-02 11:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;INTERVAL=2;COUNT=3 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-02 11:00:00 & 1997-09-02 13:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;INTERVAL=769;COUNT=3 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-10-04 10:00:00 & 1997-11-05 11:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=3;BYMONTH=1,3 | 1990-01-01 00:00:00 > 1998-01-01 00:00:00 & 1998-01-01 01:00:00 & 1998-01-01 02:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=3;BYMONTHDAY=1,3 | 1990-01-01 00:00:00 > 1997-09-03 00:00:00 & 1997-09-03 01:00:00 & 1997-09-03 02:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=3;BYMONTH=1,3;BYMONTHDAY=5,7 | 1990-01-01 00:00:00 > 1998-01-05 00:00:00 & 1998-01-05 01:00:00 & 1998-01-05 02:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-02 10:00:00 & 1997-09-02 11:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=3;BYDAY=1TU,-1TH | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-02 10:00:00 & 1997-09-02 11:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=3;BYMONTH=1,3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1998-01-01 00:00:00 & 1998-01-01 01:00:00 & 1998-01-01 02:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=3;BYMONTH=1,3;BYDAY=1TU,-1TH | 1990-01-01 00:00:00 > 1998-01-01 00:00:00 & 1998-01-01 01:00:00 & 1998-01-01 02:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=3;BYMONTHDAY=1,3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1998-01-01 00:00:00 & 1998-01-01 01:00:00 & 1998-01-01 02:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=3;BYMONTH=1,3;BYMONTHDAY=1,3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1998-01-01 00:00:00 & 1998-01-01 01:00:00 & 1998-01-01 02:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=4;BYYEARDAY=1,100,200,365 | 1990-01-01 00:00:00 > 1997-12-31 00:00:00 & 1997-12-31 01:00:00 & 1997-12-31 02:00:00 & 1997-12-31 03:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=4;BYYEARDAY=-365,-266,-166,-1 | 1990-01-01 00:00:00 > 1997-12-31 00:00:00 & 1997-12-31 01:00:00 & 1997-12-31 02:00:00 & 1997-12-31 03:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=4;BYMONTH=4,7;BYYEARDAY=1,100,200,365 | 1990-01-01 00:00:00 > 1998-04-10 00:00:00 & 1998-04-10 01:00:00 & 1998-04-10 02:00:00 & 1998-04-10 03:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=4;BYMONTH=4,7;BYYEARDAY=-365,-266,-166,-1 | 1990-01-01 00:00:00 > 1998-04-10 00:00:00 & 1998-04-10 01:00:00 & 1998-04-10 02:00:00 & 1998-04-10 03:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=3;BYWEEKNO=20 | 1990-01-01 00:00:00 > 1998-05-11 00:00:00 & 1998-05-11 01:00:00 & 1998-05-11 02:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=3;BYWEEKNO=1;BYDAY=MO | 1990-01-01 00:00:00 > 1997-12-29 00:00:00 & 1997-12-29 01:00:00 & 1997-12-29 02:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=3;BYWEEKNO=52;BYDAY=SU | 1990-01-01 00:00:00 > 1997-12-28 00:00:00 & 1997-12-28 01:00:00 & 1997-12-28 02:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=3;BYWEEKNO=-1;BYDAY=SU | 1990-01-01 00:00:00 > 1997-12-28 00:00:00 & 1997-12-28 01:00:00 & 1997-12-28 02:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=3;BYWEEKNO=53;BYDAY=MO | 1990-01-01 00:00:00 > 1998-12-28 00:00:00 & 1998-12-28 01:00:00 & 1998-12-28 02:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=3;BYHOUR=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:00:00 & 1997-09-03 06:00:00 & 1997-09-03 18:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=3;BYMINUTE=6,18 | 1990-01-01 00:00:00 > 1997-09-02 09:06:00 & 1997-09-02 09:18:00 & 1997-09-02 10:06:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=3;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 09:00:06 & 1997-09-02 09:00:18 & 1997-09-02 10:00:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=3;BYHOUR=6,18;BYMINUTE=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:06:00 & 1997-09-02 18:18:00 & 1997-09-03 06:06:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=3;BYHOUR=6,18;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:00:06 & 1997-09-02 18:00:18 & 1997-09-03 06:00:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=3;BYMINUTE=6,18;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 09:06:06 & 1997-09-02 09:06:18 & 1997-09-02 09:18:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=3;BYHOUR=6,18;BYMINUTE=6,18;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:06:06 & 1997-09-02 18:06:18 & 1997-09-02 18:18:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=HOURLY;COUNT=3;BYMINUTE=15,45;BYSECOND=15,45;BYSETPOS=3,-3 | 1990-01-01 00:00:00 > 1997-09-02 09:15:45 & 1997-09-02 09:45:15 & 1997-09-02 10:15:45 ≠ position
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=3 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-02 09:01:00 & 1997-09-02 09:02:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;INTERVAL=2;COUNT=3 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-02 09:02:00 & 1997-09-02 09:04:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;INTERVAL=1501;COUNT=3 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-03 10:01:00 & 1997-09-04 11:02:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=3;BYMONTH=1,3 | 1990-01-01 00:00:00 > 1998-01-01 00:00:00 & 1998-01-01 00:01:00 & 1998-01-01 00:02:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=3;BYMONTHDAY=1,3 | 1990-01-01 00:00:00 > 1997-09-03 00:00:00 & 1997-09-03 00:01:00 & 1997-09-03 00:02:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=3;BYMONTH=1,3;BYMONTHDAY=5,7 | 1990-01-01 00:00:00 > 1998-01-05 00:00:00 & 1998-01-05 00:01:00 & 1998-01-05 00:02:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-02 09:01:00 & 1997-09-02 09:02:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=3;BYDAY=1TU,-1TH | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-02 09:01:00 & 1997-09-02 09:02:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=3;BYMONTH=1,3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1998-01-01 00:00:00 & 1998-01-01 00:01:00 & 1998-01-01 00:02:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=3;BYMONTH=1,3;BYDAY=1TU,-1TH | 1990-01-01 00:00:00 > 1998-01-01 00:00:00 & 1998-01-01 00:01:00 & 1998-01-01 00:02:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=3;BYMONTHDAY=1,3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1998-01-01 00:00:00 & 1998-01-01 00:01:00 & 1998-01-01 00:02:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=3;BYMONTH=1,3;BYMONTHDAY=1,3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1998-01-01 00:00:00 & 1998-01-01 00:01:00 & 1998-01-01 00:02:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=4;BYYEARDAY=1,100,200,365 | 1990-01-01 00:00:00 > 1997-12-31 00:00:00 & 1997-12-31 00:01:00 & 1997-12-31 00:02:00 & 1997-12-31 00:03:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=4;BYYEARDAY=-365,-266,-166,-1 | 1990-01-01 00:00:00 > 1997-12-31 00:00:00 & 1997-12-31 00:01:00 & 1997-12-31 00:02:00 & 1997-12-31 00:03:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=4;BYMONTH=4,7;BYYEARDAY=1,100,200,365 | 1990-01-01 00:00:00 > 1998-04-10 00:00:00 & 1998-04-10 00:01:00 & 1998-04-10 00:02:00 & 1998-04-10 00:03:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=4;BYMONTH=4,7;BYYEARDAY=-365,-266,-166,-1 | 1990-01-01 00:00:00 > 1998-04-10 00:00:00 & 1998-04-10 00:01:00 & 1998-04-10 00:02:00 & 1998-04-10 00:03:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=3;BYWEEKNO=20 | 1990-01-01 00:00:00 > 1998-05-11 00:00:00 & 1998-05-11 00:01:00 & 1998-05-11 00:02:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=3;BYWEEKNO=1;BYDAY=MO | 1990-01-01 00:00:00 > 1997-12-29 00:00:00 & 1997-12-29 00:01:00 & 1997-12-29 00:02:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=3;BYWEEKNO=52;BYDAY=SU | 1990-01-01 00:00:00 > 1997-12-28 00:00:00 & 1997-12-28 00:01:00 & 1997-12-28 00:02:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=3;BYWEEKNO=-1;BYDAY=SU | 1990-01-01 00:00:00 > 1997-12-28 00:00:00 & 1997-12-28 00:01:00 & 1997-12-28 00:02:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=3;BYWEEKNO=53;BYDAY=MO | 1990-01-01 00:00:00 > 1998-12-28 00:00:00 & 1998-12-28 00:01:00 & 1998-12-28 00:02:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=3;BYHOUR=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:00:00 & 1997-09-02 18:01:00 & 1997-09-02 18:02:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=3;BYMINUTE=6,18 | 1990-01-01 00:00:00 > 1997-09-02 09:06:00 & 1997-09-02 09:18:00 & 1997-09-02 10:06:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=3;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 09:00:06 & 1997-09-02 09:00:18 & 1997-09-02 09:01:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=3;BYHOUR=6,18;BYMINUTE=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:06:00 & 1997-09-02 18:18:00 & 1997-09-03 06:06:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=3;BYHOUR=6,18;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:00:06 & 1997-09-02 18:00:18 & 1997-09-02 18:01:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=3;BYMINUTE=6,18;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 09:06:06 & 1997-09-02 09:06:18 & 1997-09-02 09:18:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=3;BYHOUR=6,18;BYMINUTE=6,18;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:06:06 & 1997-09-02 18:06:18 & 1997-09-02 18:18:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=MINUTELY;COUNT=3;BYSECOND=15,30,45;BYSETPOS=3,-3 | 1990-01-01 00:00:00 > 1997-09-02 09:00:15 & 1997-09-02 09:00:45 & 1997-09-02 09:01:15 ≠ position
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=3 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-02 09:00:01 & 1997-09-02 09:00:02
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;INTERVAL=2;COUNT=3 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-02 09:00:02 & 1997-09-02 09:00:04
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;INTERVAL=90061;COUNT=3 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-03 10:01:01 & 1997-09-04 11:02:02 ≠ interval
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=3;BYMONTH=1,3 | 1990-01-01 00:00:00 > 1998-01-01 00:00:00 & 1998-01-01 00:00:01 & 1998-01-01 00:00:02
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=3;BYMONTHDAY=1,3 | 1990-01-01 00:00:00 > 1997-09-03 00:00:00 & 1997-09-03 00:00:01 & 1997-09-03 00:00:02
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=3;BYMONTH=1,3;BYMONTHDAY=5,7 | 1990-01-01 00:00:00 > 1998-01-05 00:00:00 & 1998-01-05 00:00:01 & 1998-01-05 00:00:02
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-02 09:00:01 & 1997-09-02 09:00:02
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=3;BYDAY=1TU,-1TH | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-02 09:00:01 & 1997-09-02 09:00:02 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=3;BYMONTH=1,3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1998-01-01 00:00:00 & 1998-01-01 00:00:01 & 1998-01-01 00:00:02
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=3;BYMONTH=1,3;BYDAY=1TU,-1TH | 1990-01-01 00:00:00 > 1998-01-01 00:00:00 & 1998-01-01 00:00:01 & 1998-01-01 00:00:02 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=3;BYMONTHDAY=1,3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1998-01-01 00:00:00 & 1998-01-01 00:00:01 & 1998-01-01 00:00:02
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=3;BYMONTH=1,3;BYMONTHDAY=1,3;BYDAY=TU,TH | 1990-01-01 00:00:00 > 1998-01-01 00:00:00 & 1998-01-01 00:00:01 & 1998-01-01 00:00:02
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=4;BYYEARDAY=1,100,200,365 | 1990-01-01 00:00:00 > 1997-12-31 00:00:00 & 1997-12-31 00:00:01 & 1997-12-31 00:00:02 & 1997-12-31 00:00:03
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=4;BYYEARDAY=-365,-266,-166,-1 | 1990-01-01 00:00:00 > 1997-12-31 00:00:00 & 1997-12-31 00:00:01 & 1997-12-31 00:00:02 & 1997-12-31 00:00:03
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=4;BYMONTH=4,7;BYYEARDAY=1,100,200,365 | 1990-01-01 00:00:00 > 1998-04-10 00:00:00 & 1998-04-10 00:00:01 & 1998-04-10 00:00:02 & 1998-04-10 00:00:03
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=4;BYMONTH=4,7;BYYEARDAY=-365,-266,-166,-1 | 1990-01-01 00:00:00 > 1998-04-10 00:00:00 & 1998-04-10 00:00:01 & 1998-04-10 00:00:02 & 1998-04-10 00:00:03
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=3;BYWEEKNO=20 | 1990-01-01 00:00:00 > 1998-05-11 00:00:00 & 1998-05-11 00:00:01 & 1998-05-11 00:00:02 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=3;BYWEEKNO=1;BYDAY=MO | 1990-01-01 00:00:00 > 1997-12-29 00:00:00 & 1997-12-29 00:00:01 & 1997-12-29 00:00:02 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=3;BYWEEKNO=52;BYDAY=SU | 1990-01-01 00:00:00 > 1997-12-28 00:00:00 & 1997-12-28 00:00:01 & 1997-12-28 00:00:02 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=3;BYWEEKNO=-1;BYDAY=SU | 1990-01-01 00:00:00 > 1997-12-28 00:00:00 & 1997-12-28 00:00:01 & 1997-12-28 00:00:02 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=3;BYWEEKNO=53;BYDAY=MO | 1990-01-01 00:00:00 > 1998-12-28 00:00:00 & 1998-12-28 00:00:01 & 1998-12-28 00:00:02 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=3;BYHOUR=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:00:00 & 1997-09-02 18:00:01 & 1997-09-02 18:00:02
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=3;BYMINUTE=6,18 | 1990-01-01 00:00:00 > 1997-09-02 09:06:00 & 1997-09-02 09:06:01 & 1997-09-02 09:06:02
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=3;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 09:00:06 & 1997-09-02 09:00:18 & 1997-09-02 09:01:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=3;BYHOUR=6,18;BYMINUTE=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:06:00 & 1997-09-02 18:06:01 & 1997-09-02 18:06:02
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=3;BYHOUR=6,18;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:00:06 & 1997-09-02 18:00:18 & 1997-09-02 18:01:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=3;BYMINUTE=6,18;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 09:06:06 & 1997-09-02 09:06:18 & 1997-09-02 09:18:06
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=SECONDLY;COUNT=3;BYHOUR=6,18;BYMINUTE=6,18;BYSECOND=6,18 | 1990-01-01 00:00:00 > 1997-09-02 18:06:06 & 1997-09-02 18:06:18 & 1997-09-02 18:18:06
        rrule | UTC | - | DTSTART:20100322T120100 RRULE:FREQ=SECONDLY;COUNT=3;BYMINUTE=1;BYSECOND=0 | 1990-01-01 00:00:00 > 2010-03-22 12:01:00 & 2010-03-22 13:01:00 & 2010-03-22 14:01:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;UNTIL=19970905T080000 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-03 09:00:00 & 1997-09-04 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;UNTIL=19970904T090000 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-03 09:00:00 & 1997-09-04 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;UNTIL=19970902T090000 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;UNTIL=19970901T090000 | 1990-01-01 00:00:00 > none ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=DAILY;COUNT=3;UNTIL=19970905T000000 | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-03 09:00:00 & 1997-09-04 09:00:00 ≠ excluded
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=3;BYDAY=TU,SU;WKST=MO | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-07 09:00:00 & 1997-09-16 09:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=3;BYDAY=TU,SU;WKST=SU | 1990-01-01 00:00:00 > 1997-09-02 09:00:00 & 1997-09-14 09:00:00 & 1997-09-16 09:00:00
        rrule | UTC | - | DTSTART:19970902T000000 RRULE:FREQ=DAILY;COUNT=3 | 1990-01-01 00:00:00 > 1997-09-02 00:00:00 & 1997-09-03 00:00:00 & 1997-09-04 00:00:00
        rrule | UTC | - | DTSTART:19970902T090000 RRULE:FREQ=YEARLY;COUNT=3;BYMONTH=2;BYMONTHDAY=31 | 1990-01-01 00:00:00 > none
        # systemd/systemd 04773cb (LGPL 2.1 or later), test-calendarspec.c
        calendar | UTC | - | Sat,Thu,Mon-Wed,Sat-Sun | = Mon..Thu,Sat,Sun *-*-* 00:00:00
        calendar | UTC | - | Sat,Thu,Mon..Wed,Sat..Sun | = Mon..Thu,Sat,Sun *-*-* 00:00:00
        calendar | UTC | - | Mon,Sun 12-*-* 2,1:23 | = Mon,Sun 2012-*-* 01,02:23:00
        calendar | UTC | - | Wed *-1 | = Wed *-*-01 00:00:00
        calendar | UTC | - | Wed-Wed,Wed *-1 | = Wed *-*-01 00:00:00
        calendar | UTC | - | Wed..Wed,Wed *-1 | = Wed *-*-01 00:00:00
        calendar | UTC | - | Wed, 17:48 | = Wed *-*-* 17:48:00
        calendar | UTC | - | Wed-Sat,Tue 12-10-15 1:2:3 | = Tue..Sat 2012-10-15 01:02:03
        calendar | UTC | - | Wed..Sat,Tue 12-10-15 1:2:3 | = Tue..Sat 2012-10-15 01:02:03
        calendar | UTC | - | *-*-7 0:0:0 | = *-*-07 00:00:00
        calendar | UTC | - | 10-15 | = *-10-15 00:00:00
        calendar | UTC | - | monday *-12-* 17:00 | = Mon *-12-* 17:00:00
        calendar | UTC | - | Mon,Fri *-*-3,1,2 *:30:45 | = Mon,Fri *-*-01,02,03 *:30:45
        calendar | UTC | - | 12,14,13,12:20,10,30 | = *-*-* 12,13,14:10,20,30:00
        calendar | UTC | - | mon,fri *-1/2-1,3 *:30:45 | = Mon,Fri *-01/2-01,03 *:30:45
        calendar | UTC | - | 03-05 08:05:40 | = *-03-05 08:05:40
        calendar | UTC | - | 08:05:40 | = *-*-* 08:05:40
        calendar | UTC | - | 05:40 | = *-*-* 05:40:00
        calendar | UTC | - | Sat,Sun 12-05 08:05:40 | = Sat,Sun *-12-05 08:05:40
        calendar | UTC | - | Sat,Sun 08:05:40 | = Sat,Sun *-*-* 08:05:40
        calendar | UTC | - | 2003-03-05 05:40 | = 2003-03-05 05:40:00
        calendar | UTC | - | 2003-03-05 | = 2003-03-05 00:00:00
        calendar | UTC | - | 03-05 | = *-03-05 00:00:00
        calendar | UTC | - | hourly | = *-*-* *:00:00
        calendar | UTC | - | daily | = *-*-* 00:00:00
        calendar | UTC | - | monthly | = *-*-01 00:00:00
        calendar | UTC | - | weekly | = Mon *-*-* 00:00:00
        calendar | UTC | - | minutely | = *-*-* *:*:00
        calendar | UTC | - | quarterly | = *-01,04,07,10-01 00:00:00
        calendar | UTC | - | semi-annually | = *-01,07-01 00:00:00
        calendar | UTC | - | annually | = *-01-01 00:00:00
        calendar | UTC | - | *:2/3 | = *-*-* *:02/3:00
        calendar | UTC | - | 2015-10-25 01:00:00 uTc | = 2015-10-25 01:00:00 UTC
        calendar | UTC | - | 2016-03-27 03:17:00.4200005 | = 2016-03-27 03:17:00.420001 ≠ fraction
        calendar | UTC | - | 2016-03-27 03:17:00/0.42 | = 2016-03-27 03:17:00/0.420000 ≠ fraction
        calendar | UTC | - | 9..11,13:00,30 | = *-*-* 09,10,11,13:00,30:00
        calendar | UTC | - | 1..3-1..3 1..3:1..3 | = *-01,02,03-01,02,03 01,02,03:01,02,03:00
        calendar | UTC | - | 00:00:1.125..2.125 | = *-*-* 00:00:01.125000,02.125000 ≠ fraction
        calendar | UTC | - | 00:00:1.0..3.8 | = *-*-* 00:00:01,02,03 ≠ fraction
        calendar | UTC | - | *-*~1 Utc | = *-*~01 00:00:00 UTC
        calendar | UTC | - | *-*~05,3 | = *-*~03,05 00:00:00
        calendar | UTC | - | *-*~* 00:00:00 | = *-*-* 00:00:00
        calendar | UTC | - | Monday | = Mon *-*-* 00:00:00
        calendar | UTC | - | Monday *-*-* | = Mon *-*-* 00:00:00
        calendar | UTC | - | *-*-* | = *-*-* 00:00:00
        calendar | UTC | skip first | 2016-03-27 03:17:00 | 1970-01-01 00:00:00 > 2016-03-27 03:17:00
        calendar | CET | skip first | 2016-03-27 03:17:00 | 1970-01-01 00:00:00 > 2016-03-27 01:17:00
        calendar | EET | skip first | 2016-03-27 03:17:00 | 1970-01-01 00:00:00 > none
        calendar | UTC | skip first | 2016-03-27 03:17:00 UTC | 1970-01-01 00:00:00 > 2016-03-27 03:17:00
        calendar | CET | skip first | 2016-03-27 03:17:00 UTC | 1970-01-01 00:00:00 > 2016-03-27 03:17:00
        calendar | EET | skip first | 2016-03-27 03:17:00 UTC | 1970-01-01 00:00:00 > 2016-03-27 03:17:00
        calendar | EET | skip first | 2016-03-27 03:17:00.420000001 UTC | 1970-01-01 00:00:00 > 2016-03-27 03:17:00 ≠ fraction
        calendar | EET | skip first | 2016-03-27 03:17:00.4200005 UTC | 1970-01-01 00:00:00 > 2016-03-27 03:17:00 ≠ fraction
        calendar | EET | skip first | 2015-11-13 09:11:23.42 | 1970-01-01 00:00:00 > 2015-11-13 07:11:23 ≠ fraction
        calendar | EET | skip first | 2015-11-13 09:11:23.42/1.77 | 2015-11-13 07:11:23 > 07:11:25 ; 2015-11-13 07:11:23 > 07:11:23 ≠ fraction
        calendar | CET | skip first | Sun 16:00:00 | 2016-02-21 08:00:00 > 15:00:00
        calendar | UTC | skip first | *-04-31 | 1970-01-01 00:00:00 > none
        calendar | UTC | skip first | 2016-02~01 UTC | 1970-01-01 00:00:00 > 2016-02-29 00:00:00
        calendar | UTC | skip first | Mon 2017-05~01..07 UTC | 1970-01-01 00:00:00 > 2017-05-29 00:00:00
        calendar | UTC | skip first | Mon 2017-05~07/1 UTC | 1970-01-01 00:00:00 > 2017-05-29 00:00:00
        calendar | UTC | - | test | refused
        calendar | UTC | - | utc | refused
        calendar | UTC | - |  | refused
        calendar | UTC | - | 7 | refused
        calendar | UTC | - | 121212:1:2 | refused
        calendar | UTC | - | 2000-03-05.23 00:00:00 | refused
        calendar | UTC | - | 2000-03-05 00:00.1:00 | refused
        calendar | UTC | - | 00:00:00/0.00000001 | refused
        calendar | UTC | - | 00:00:00.0..00.9 | refused
        calendar | UTC | - | 2016~11-22 | refused
        calendar | UTC | - | *-*~5/5 | refused
        # systemd.time(7) of systemd 252 (LGPL 2.1 or later), the examples of calendar events
        calendar | UTC | - | Sat,Thu,Mon..Wed,Sat..Sun | = Mon..Thu,Sat,Sun *-*-* 00:00:00
        calendar | UTC | - | Mon,Sun 12-*-* 2,1:23 | = Mon,Sun 2012-*-* 01,02:23:00
        calendar | UTC | - | Wed *-1 | = Wed *-*-01 00:00:00
        calendar | UTC | - | Wed..Wed,Wed *-1 | = Wed *-*-01 00:00:00
        calendar | UTC | - | Wed, 17:48 | = Wed *-*-* 17:48:00
        calendar | UTC | - | Wed..Sat,Tue 12-10-15 1:2:3 | = Tue..Sat 2012-10-15 01:02:03
        calendar | UTC | - | *-*-7 0:0:0 | = *-*-07 00:00:00
        calendar | UTC | - | 10-15 | = *-10-15 00:00:00
        calendar | UTC | - | monday *-12-* 17:00 | = Mon *-12-* 17:00:00
        calendar | UTC | - | Mon,Fri *-*-3,1,2 *:30:45 | = Mon,Fri *-*-01,02,03 *:30:45
        calendar | UTC | - | 12,14,13,12:20,10,30 | = *-*-* 12,13,14:10,20,30:00
        calendar | UTC | - | 12..14:10,20,30 | = *-*-* 12..14:10,20,30:00
        calendar | UTC | - | mon,fri *-1/2-1,3 *:30:45 | = Mon,Fri *-01/2-01,03 *:30:45
        calendar | UTC | - | 03-05 08:05:40 | = *-03-05 08:05:40
        calendar | UTC | - | 08:05:40 | = *-*-* 08:05:40
        calendar | UTC | - | 05:40 | = *-*-* 05:40:00
        calendar | UTC | - | Sat,Sun 12-05 08:05:40 | = Sat,Sun *-12-05 08:05:40
        calendar | UTC | - | Sat,Sun 08:05:40 | = Sat,Sun *-*-* 08:05:40
        calendar | UTC | - | 2003-03-05 05:40 | = 2003-03-05 05:40:00
        calendar | UTC | - | 05:40:23.4200004/3.1700005 | = *-*-* 05:40:23.420000/3.170001 ≠ fraction
        calendar | UTC | - | 2003-02..04-05 | = 2003-02..04-05 00:00:00
        calendar | UTC | - | 2003-03-05 05:40 UTC | = 2003-03-05 05:40:00 UTC
        calendar | UTC | - | 2003-03-05 | = 2003-03-05 00:00:00
        calendar | UTC | - | 03-05 | = *-03-05 00:00:00
        calendar | UTC | - | hourly | = *-*-* *:00:00
        calendar | UTC | - | daily | = *-*-* 00:00:00
        calendar | UTC | - | daily UTC | = *-*-* 00:00:00 UTC
        calendar | UTC | - | monthly | = *-*-01 00:00:00
        calendar | UTC | - | weekly | = Mon *-*-* 00:00:00
        calendar | UTC | - | weekly Pacific/Auckland | = Mon *-*-* 00:00:00 Pacific/Auckland
        calendar | UTC | - | yearly | = *-01-01 00:00:00
        calendar | UTC | - | annually | = *-01-01 00:00:00
        calendar | UTC | - | *:2/3 | = *-*-* *:02/3:00
        # kvh/recurrent 13fb7ac (MIT), src/recurrent/test.py
        words | UTC | - | daily at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=DAILY;BYHOUR=9;BYMINUTE=0
        words | UTC | - | each day at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=DAILY;BYHOUR=9;BYMINUTE=0
        words | UTC | - | everyday at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=DAILY;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every day twice at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=DAILY;COUNT=2;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every day for 3x at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=DAILY;COUNT=3;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every day for 4 times at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=DAILY;COUNT=4;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every day for 5 occurrences at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=DAILY;COUNT=5;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every other day at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=DAILY;INTERVAL=2;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every 4 days at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=DAILY;INTERVAL=4;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every 4th day at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=DAILY;INTERVAL=4;BYHOUR=9;BYMINUTE=0
        words | UTC | - | daily except for tomorrow at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=DAILY;BYHOUR=9;BYMINUTE=0 EXDATE;VALUE=DATE:20100102
        words | UTC | - | tuesdays at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=TU;BYHOUR=9;BYMINUTE=0
        words | UTC | - | weekends at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=SA,SU;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every other weekend at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=SA,SU;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every other week on weekend at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=SA,SU;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every 4 weekends at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;INTERVAL=4;BYDAY=SA,SU;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every 4 weeks on weekends at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;INTERVAL=4;BYDAY=SA,SU;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every 4th week on weekends at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;INTERVAL=4;BYDAY=SA,SU;BYHOUR=9;BYMINUTE=0
        words | UTC | - | weekdays at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every weekday at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | tuesdays and thursdays at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=TU,TH;BYHOUR=9;BYMINUTE=0
        words | UTC | - | weekly on wednesdays at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=WE;BYHOUR=9;BYMINUTE=0
        words | UTC | - | weekly on wednesdays and fridays at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=WE,FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every sunday and saturday at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=SU,SA;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every wed at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=WE;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every wed. at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=WE;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every wednsday at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=WE;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every week on tues at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=TU;BYHOUR=9;BYMINUTE=0
        words | UTC | - | once a week on sunday at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=SU;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every week on the 4th day at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=WE;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every other week on mon at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=9;BYMINUTE=0 ≠ weeks
        words | UTC | - | every 3 weeks on mon at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;INTERVAL=3;BYDAY=MO;BYHOUR=9;BYMINUTE=0 ≠ weeks
        words | UTC | - | every other week on mon and fri at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every 3 weeks on mon and fri at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;INTERVAL=3;BYDAY=MO,FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every 3 days at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=DAILY;INTERVAL=3;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every 2nd of the month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=2;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every 4th of the month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=4;BYHOUR=9;BYMINUTE=0
        words | UTC | - | 4th of every month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=4;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every month on the 4th at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=4;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every month on the 4th day at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=4;BYHOUR=9;BYMINUTE=0
        words | UTC | - | the 4th of every other month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=4;BYHOUR=9;BYMINUTE=0
        words | UTC | - | the 4th of every 3 months at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=4;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every other month on the 4th at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=4;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every 3 months on the 4th at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=4;BYHOUR=9;BYMINUTE=0
        words | UTC | - | the 4th of every 3rd month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=4;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every 3rd month on the 4th at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=4;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every 4th and 10th of the month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=4,10;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every 4th and 10th of the month up to 7x at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;COUNT=7;BYMONTHDAY=4,10;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every first friday of the month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYDAY=1FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | monthly on fri at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYDAY=FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | monthly on tue and fri at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYDAY=TU,FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | monthly on the first and last instance of tue and fri at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYDAY=TU,FR;BYSETPOS=1,-1;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every last friday of the month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | 2nd to the last friday of each month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYDAY=-2FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | 2nd and last fri of each month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYDAY=2FR,-1FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | 2nd and 2nd to the last fri of each month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYDAY=2FR,-2FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | 2nd and last fridays of each month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYDAY=2FR,-1FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | first day of each month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0
        words | UTC | - | beginning of each month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0
        words | UTC | - | begin of each month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0
        words | UTC | - | start of each month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every month on the 1st day at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every month at the beginning at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every month at the begin at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every month at the start at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0
        words | UTC | - | first of each month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0
        words | UTC | - | last of each month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=9;BYMINUTE=0
        words | UTC | - | end of each month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=9;BYMINUTE=0
        words | UTC | - | 2nd to the last of each month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=-2;BYHOUR=9;BYMINUTE=0
        words | UTC | - | last day of each month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=9;BYMINUTE=0
        words | UTC | - | each month at the end at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=9;BYMINUTE=0
        words | UTC | - | 2nd friday of each month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYDAY=2FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | second friday of each month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYDAY=2FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | first friday of every month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYDAY=1FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | first friday of each month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYDAY=1FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | first friday of every other month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;INTERVAL=2;BYDAY=1FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | first friday of every 3 months at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;INTERVAL=3;BYDAY=1FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | first friday of every 3rd month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;INTERVAL=3;BYDAY=1FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | first and third friday of each month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYDAY=1FR,3FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | first, second, and third friday of each month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYDAY=1FR,2FR,3FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | first and third friday and second tuesday of each month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYDAY=1FR,3FR,2TU;BYHOUR=9;BYMINUTE=0
        words | UTC | - | yearly on the fourth thursday in november at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;BYDAY=4TH;BYMONTH=11;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every year on the fourth thursday in november at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;BYDAY=4TH;BYMONTH=11;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every fourth thursday in november at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;BYDAY=4TH;BYMONTH=11;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every other year on the fourth thursday in november at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;INTERVAL=2;BYDAY=4TH;BYMONTH=11;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every 3 years on the fourth thursday in november at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;INTERVAL=3;BYDAY=4TH;BYMONTH=11;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every 3rd year on the fourth thursday in november at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;INTERVAL=3;BYDAY=4TH;BYMONTH=11;BYHOUR=9;BYMINUTE=0
        words | UTC | - | once a year on december 25th at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;BYMONTHDAY=25;BYMONTH=12;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every year on december 21st and 31st at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;BYMONTHDAY=21,31;BYMONTH=12;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every year on december 31st at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;BYMONTHDAY=31;BYMONTH=12;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every year on the 31st at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;BYYEARDAY=31;BYHOUR=9;BYMINUTE=0
        words | UTC | - | 31st of every year at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;BYYEARDAY=31;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every year on the 31st at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;BYYEARDAY=31;BYHOUR=9;BYMINUTE=0
        words | UTC | - | 31st day of every year at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;BYYEARDAY=31;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every year on the 31st day at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;BYYEARDAY=31;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every year on the day 31 at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;BYYEARDAY=31;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every july 4th at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;BYMONTHDAY=4;BYMONTH=7;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every aug 30 at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;BYMONTHDAY=30;BYMONTH=8;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every aug 20 and 30 at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;BYMONTHDAY=20,30;BYMONTH=8;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every aug on day 20 and 30 at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;BYMONTHDAY=20,30;BYMONTH=8;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every year in week 12 at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;BYWEEKNO=12;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every 3 years on Fri in week 12 at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;INTERVAL=3;BYDAY=FR;BYWEEKNO=12;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every Fri in week 12 at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;BYDAY=FR;BYWEEKNO=12;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every Fri in week 12 and 14 at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;BYDAY=FR;BYWEEKNO=12,14;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every 20th and 30th of aug at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;BYMONTHDAY=20,30;BYMONTH=8;BYHOUR=9;BYMINUTE=0
        words | UTC | - | daily starting march 3rd at 9:00 | DTSTART:20100303T000000 RRULE:FREQ=DAILY;BYHOUR=9;BYMINUTE=0
        words | UTC | - | starting in april, daily until march at 9:00 | DTSTART:20100401T000000 RRULE:FREQ=DAILY;BYHOUR=9;BYMINUTE=0;UNTIL=20110301
        words | UTC | - | daily starting in april until march at 9:00 | DTSTART:20100401T000000 RRULE:FREQ=DAILY;BYHOUR=9;BYMINUTE=0;UNTIL=20110301
        words | UTC | - | daily starting march 3rd except on march 6th and march 8th at 9:00 | DTSTART:20100303T000000 RRULE:FREQ=DAILY;BYHOUR=9;BYMINUTE=0 EXDATE;VALUE=DATE:20100306,20100308
        words | UTC | - | starting tomorrow on weekends at 9:00 | DTSTART:20100102T000000 RRULE:FREQ=WEEKLY;BYDAY=SA,SU;BYHOUR=9;BYMINUTE=0
        words | UTC | - | daily starting march 3rd until april 5th at 9:00 | DTSTART:20100303T000000 RRULE:FREQ=DAILY;BYHOUR=9;BYMINUTE=0;UNTIL=20100405
        words | UTC | - | daily starting march 3rd for 8 times at 9:00 | DTSTART:20100303T000000 RRULE:FREQ=DAILY;COUNT=8;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every wed until november at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=WE;BYHOUR=9;BYMINUTE=0;UNTIL=20101101
        words | UTC | - | every 4th of the month starting next tuesday at 9:00 | DTSTART:20100105T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=4;BYHOUR=9;BYMINUTE=0
        words | UTC | - | 4th of each month starting next tuesday at 9:00 | DTSTART:20100105T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=4;BYHOUR=9;BYMINUTE=0
        words | UTC | - | starting next tuesday on the 4th of each month at 9:00 | DTSTART:20100105T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=4;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every 4th of the month starting next tuesday for 3 occurrences at 9:00 | DTSTART:20100105T000000 RRULE:FREQ=MONTHLY;COUNT=3;BYMONTHDAY=4;BYHOUR=9;BYMINUTE=0
        words | UTC | - | starting next tuesday the 4th of each month for 3 occurrences at 9:00 | DTSTART:20100105T000000 RRULE:FREQ=MONTHLY;COUNT=3;BYMONTHDAY=4;BYHOUR=9;BYMINUTE=0
        words | UTC | - | 4th of each month starting next tuesday for 3 occurrences at 9:00 | DTSTART:20100105T000000 RRULE:FREQ=MONTHLY;COUNT=3;BYMONTHDAY=4;BYHOUR=9;BYMINUTE=0
        words | UTC | - | mondays and thursdays from jan 1 to march 25th at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=9;BYMINUTE=0;UNTIL=20100325
        words | UTC | - | mondays and thursdays starting jan 1 for 6 times at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;COUNT=6;BYDAY=MO,TH;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every 5 minutes | DTSTART:20100101T000000 RRULE:FREQ=MINUTELY;INTERVAL=5
        words | UTC | - | every 1 second | DTSTART:20100101T000000 RRULE:FREQ=SECONDLY
        words | UTC | - | every second | DTSTART:20100101T000000 RRULE:FREQ=SECONDLY
        words | UTC | - | every 30 seconds | DTSTART:20100101T000000 RRULE:FREQ=SECONDLY;INTERVAL=30
        words | UTC | - | every 90 secs | DTSTART:20100101T000000 RRULE:FREQ=SECONDLY;INTERVAL=90
        words | UTC | - | every other hour | DTSTART:20100101T000000 RRULE:FREQ=HOURLY;INTERVAL=2
        words | UTC | - | every 2 hours | DTSTART:20100101T000000 RRULE:FREQ=HOURLY;INTERVAL=2
        words | UTC | - | every 2 hours twice | DTSTART:20100101T000000 RRULE:FREQ=HOURLY;INTERVAL=2;COUNT=2
        words | UTC | - | every 8 hours except tomorrow | DTSTART:20100101T000000 RRULE:FREQ=HOURLY;INTERVAL=8 EXDATE;VALUE=DATE:20100102
        words | UTC | - | every 12 hours except 1/2 and 1/3 | DTSTART:20100101T000000 RRULE:FREQ=HOURLY;INTERVAL=12 EXDATE;VALUE=DATE:20100102,20100103
        words | UTC | - | every 8 hours except tomorrow at 8am | DTSTART:20100101T000000 RRULE:FREQ=HOURLY;INTERVAL=8 EXDATE;VALUE=DATE:20100102
        words | UTC | - | every 8 hours except tomorrow at 8am and 1/5 at 4pm | DTSTART:20100101T000000 RRULE:FREQ=HOURLY;INTERVAL=8 EXDATE;VALUE=DATE:20100102,20100105
        words | UTC | - | every 8 hours except tomorrow and 1/5 at 4pm and Jan 7th at 8am | DTSTART:20100101T000000 RRULE:FREQ=HOURLY;INTERVAL=8 EXDATE;VALUE=DATE:20100102,20100105,20100107
        words | UTC | - | every 20 min | DTSTART:20100101T000000 RRULE:FREQ=MINUTELY;INTERVAL=20
        words | UTC | - | every 45 mins | DTSTART:20100101T000000 RRULE:FREQ=MINUTELY;INTERVAL=45
        words | UTC | - | daily at 12am | DTSTART:20100101T000000 RRULE:FREQ=DAILY;BYHOUR=0;BYMINUTE=0
        words | UTC | - | daily at 12a | DTSTART:20100101T000000 RRULE:FREQ=DAILY;BYHOUR=0;BYMINUTE=0
        words | UTC | - | daily at 3am | DTSTART:20100101T000000 RRULE:FREQ=DAILY;BYHOUR=3;BYMINUTE=0
        words | UTC | - | daily at 3am 10x | DTSTART:20100101T000000 RRULE:FREQ=DAILY;COUNT=10;BYHOUR=3;BYMINUTE=0
        words | UTC | - | daily at 3:00am | DTSTART:20100101T000000 RRULE:FREQ=DAILY;BYHOUR=3;BYMINUTE=0
        words | UTC | - | daily at 3:01am | DTSTART:20100101T000000 RRULE:FREQ=DAILY;BYHOUR=3;BYMINUTE=1
        words | UTC | - | daily at 12pm | DTSTART:20100101T000000 RRULE:FREQ=DAILY;BYHOUR=12;BYMINUTE=0
        words | UTC | - | daily at 12p | DTSTART:20100101T000000 RRULE:FREQ=DAILY;BYHOUR=12;BYMINUTE=0
        words | UTC | - | daily at 3pm | DTSTART:20100101T000000 RRULE:FREQ=DAILY;BYHOUR=15;BYMINUTE=0
        words | UTC | - | daily at 3 pm | DTSTART:20100101T000000 RRULE:FREQ=DAILY;BYHOUR=15;BYMINUTE=0
        words | UTC | - | daily at 3p | DTSTART:20100101T000000 RRULE:FREQ=DAILY;BYHOUR=15;BYMINUTE=0
        words | UTC | - | daily at 3:00pm | DTSTART:20100101T000000 RRULE:FREQ=DAILY;BYHOUR=15;BYMINUTE=0
        words | UTC | - | daily at 3:01pm | DTSTART:20100101T000000 RRULE:FREQ=DAILY;BYHOUR=15;BYMINUTE=1
        words | UTC | - | at 10 am on 15th of every month | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=15;BYHOUR=10;BYMINUTE=0
        words | UTC | - | every other saturdays through tuesdays at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TU,SA,SU;BYHOUR=9;BYMINUTE=0
        words | UTC | - | each week on saturday thru tuesday at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=SA,SU,MO,TU;BYHOUR=9;BYMINUTE=0
        words | UTC | - | each week on tuesday-saturday at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=TU,WE,TH,FR,SA;BYHOUR=9;BYMINUTE=0
        words | UTC | - | each week on tuesday-tue at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=TU;BYHOUR=9;BYMINUTE=0
        words | UTC | - | tuesdays-tue at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=TU;BYHOUR=9;BYMINUTE=0
        words | UTC | - | saturdays through tuesdays at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=MO,TU,SA,SU;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every thursday for the next three weeks at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=TH;BYHOUR=9;BYMINUTE=0;UNTIL=20100122
        words | UTC | - | every mon and fri for the next month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=9;BYMINUTE=0;UNTIL=20100201
        words | UTC | - | every sat for 2 months at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=SA;BYHOUR=9;BYMINUTE=0;UNTIL=20100301
        words | UTC | - | every sat for up to 2 months at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=SA;BYHOUR=9;BYMINUTE=0;UNTIL=20100301
        words | UTC | - | every other sat for up to 14 months at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=SA;BYHOUR=9;BYMINUTE=0;UNTIL=20110301
        words | UTC | - | every other fri for the next year at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;BYHOUR=9;BYMINUTE=0;UNTIL=20110101
        words | UTC | - | every 5th fri for the next 3 years at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;INTERVAL=5;BYDAY=FR;BYHOUR=9;BYMINUTE=0;UNTIL=20130101
        words | UTC | - | on weekdays at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every fourth of the month from jan 1 2010 to dec 25th 2020 at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYMONTHDAY=4;BYHOUR=9;BYMINUTE=0;UNTIL=20201225
        words | UTC | - | each thurs until next month at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=TH;BYHOUR=9;BYMINUTE=0;UNTIL=20100201
        words | UTC | - | once a year on the fourth thursday in november at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;BYDAY=4TH;BYMONTH=11;BYHOUR=9;BYMINUTE=0
        words | UTC | - | tuesdays and thursdays at 3:15 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=TU,TH;BYHOUR=15;BYMINUTE=15 ≠ clock
        words | UTC | - | wednesdays at 9 o'clock | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=WE;BYHOUR=9;BYMINUTE=0
        words | UTC | - | fridays at 11am | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=FR;BYHOUR=11;BYMINUTE=0
        words | UTC | - | daily except on June 23rd and July 4th at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=DAILY;BYHOUR=9;BYMINUTE=0 EXDATE;VALUE=DATE:20100623,20100704
        words | UTC | - | every monday except for the 2nd monday in March at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0 EXDATE;VALUE=DATE:20100308
        words | UTC | - | fridays twice at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;COUNT=2;BYDAY=FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | fridays 3x at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;COUNT=3;BYDAY=FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every other friday for 5 times at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=5;BYDAY=FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every 3 fridays from november until february at 9:00 | DTSTART:20101101T000000 RRULE:FREQ=WEEKLY;INTERVAL=3;BYDAY=FR;BYHOUR=9;BYMINUTE=0;UNTIL=20110201
        words | UTC | - | fridays starting in may for 10 occurrences at 9:00 | DTSTART:20100501T000000 RRULE:FREQ=WEEKLY;COUNT=10;BYDAY=FR;BYHOUR=9;BYMINUTE=0
        words | UTC | - | tuesdays for the next six weeks at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=TU;BYHOUR=9;BYMINUTE=0;UNTIL=20100212
        words | UTC | - | every Mon-Wed for the next 2 months at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE;BYHOUR=9;BYMINUTE=0;UNTIL=20100301
        words | UTC | - | every Mon thru Wed for the next year at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE;BYHOUR=9;BYMINUTE=0;UNTIL=20110101
        words | UTC | - | every other Fri for the next three years at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;BYHOUR=9;BYMINUTE=0;UNTIL=20130101
        words | UTC | - | monthly on the first and last instance of wed and fri at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=MONTHLY;BYDAY=WE,FR;BYSETPOS=1,-1;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every Tue and Fri in week 14 at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;BYDAY=TU,FR;BYWEEKNO=14;BYHOUR=9;BYMINUTE=0
        words | UTC | - | every year on Dec 25 at 9:00 | DTSTART:20100101T000000 RRULE:FREQ=YEARLY;BYMONTHDAY=25;BYMONTH=12;BYHOUR=9;BYMINUTE=0
        """#
}
