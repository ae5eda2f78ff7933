import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.time.zone.ZoneRulesProvider;
import java.util.BitSet;
import java.util.List;
import java.util.TreeSet;

/**
 * Answers questions about zones and schedules with java.time: a line each, fields between tabs.
 *
 * <pre>
 * version                                              -> the version of the zones
 * offsets  ZONE  INSTANT INSTANT ...                   -> the offsets in seconds
 * locals   ZONE  LOCAL LOCAL ...                       -> for each "i", "i,i" or "gap,i", the first instant after it
 * walk     ZONE  BASE  COUNT  END  FIELDS              -> every instant at which the clock shows a match
 * fixed    ZONE  BASE  COUNT  END  FIELDS  GAP  REPEATED -> the same under a policy
 * </pre>
 *
 * FIELDS are minutes, hours, days, months, weekdays (1 to 7), each a list with commas or a star, between bars. When days
 * and weekdays are both restricted, one is enough.
 */
final class Oracle {
    record Fields(BitSet minutes, BitSet hours, BitSet days, BitSet months, BitSet weekdays) {
        static Fields of(String text) {
            String[] parts = text.split("\\|");
            return new Fields(set(parts[0]), set(parts[1]), set(parts[2]), set(parts[3]), set(parts[4]));
        }

        private static BitSet set(String text) {
            if (text.equals("*")) return null;
            BitSet result = new BitSet();
            for (String number : text.split(",")) result.set(Integer.parseInt(number));
            return result;
        }

        boolean matches(LocalDate date) {
            if (months != null && !months.get(date.getMonthValue())) return false;
            boolean day = days == null || days.get(date.getDayOfMonth());
            boolean weekday = weekdays == null || weekdays.get(date.getDayOfWeek().getValue());
            return days != null && weekdays != null ? day || weekday : day && weekday;
        }

        boolean matches(LocalDateTime time) {
            return (minutes == null || minutes.get(time.getMinute())) && (hours == null || hours.get(time.getHour()))
                && matches(time.toLocalDate());
        }
    }

    private static String walk(ZoneRules rules, long base, int count, long end, Fields fields) {
        StringBuilder result = new StringBuilder();
        long at = base + 1;
        long change = next(rules, at);
        for (int found = 0; at <= end && found < count;) {
            LocalDateTime local = local(rules, at);
            int past = local.getSecond();
            if (past == 0 && fields.matches(local)) {
                result.append(at).append(' ');
                found++;
            }
            long following = at + 60 - past;
            at = Math.min(change, following);
            if (change == at) change = next(rules, at);
        }
        return result.toString();
    }

    private static long next(ZoneRules rules, long at) {
        ZoneOffsetTransition transition = rules.nextTransition(Instant.ofEpochSecond(at));
        return transition == null ? Long.MAX_VALUE : transition.toEpochSecond();
    }

    private static LocalDateTime local(ZoneRules rules, long at) {
        return LocalDateTime.ofEpochSecond(at, 0, rules.getOffset(Instant.ofEpochSecond(at)));
    }

    private static String fixed(
        ZoneRules rules, long base, int count, long end, Fields fields, boolean after, boolean both
    ) {
        TreeSet<Long> found = new TreeSet<>();
        LocalDate last = local(rules, end).toLocalDate().plusDays(2);
        for (LocalDate date = local(rules, base).toLocalDate().minusDays(2); !date.isAfter(last);
            date = date.plusDays(1)) {
            if (!fields.matches(date)) continue;
            for (int minute = 0; minute < 1440; minute++) {
                LocalDateTime time = date.atTime(minute / 60, minute % 60);
                if (!fields.matches(time)) continue;
                List<ZoneOffset> offsets = rules.getValidOffsets(time);
                if (offsets.isEmpty()) {
                    if (after) found.add(rules.getTransition(time).toEpochSecond());
                } else {
                    found.add(time.toEpochSecond(offsets.get(0)));
                    if (both && offsets.size() > 1) found.add(time.toEpochSecond(offsets.get(1)));
                }
            }
            if (found.tailSet(base, false).size() > count + 3000) break;
        }
        StringBuilder result = new StringBuilder();
        int printed = 0;
        for (long at : found.tailSet(base, false)) {
            if (at > end || printed++ == count) break;
            result.append(at).append(' ');
        }
        return result.toString();
    }

    private static String answer(String[] parts) {
        if (parts[0].equals("version")) return ZoneRulesProvider.getVersions("Europe/Berlin").lastKey();
        ZoneRules rules = ZoneId.of(parts[1]).getRules();
        StringBuilder result = new StringBuilder();
        switch (parts[0]) {
            case "offsets":
                for (String at : parts[2].split(" ")) {
                    result.append(rules.getOffset(Instant.ofEpochSecond(Long.parseLong(at))).getTotalSeconds()).append(' ');
                }
                return result.toString();
            case "locals":
                for (String at : parts[2].split(" ")) {
                    LocalDateTime time = LocalDateTime.ofEpochSecond(Long.parseLong(at), 0, ZoneOffset.UTC);
                    List<ZoneOffset> offsets = rules.getValidOffsets(time);
                    if (offsets.isEmpty()) result.append("gap,").append(rules.getTransition(time).toEpochSecond());
                    else result.append(time.toEpochSecond(offsets.get(0)));
                    if (offsets.size() > 1) result.append(',').append(time.toEpochSecond(offsets.get(1)));
                    result.append(' ');
                }
                return result.toString();
            default:
                long base = Long.parseLong(parts[2]);
                int count = Integer.parseInt(parts[3]);
                long end = Long.parseLong(parts[4]);
                Fields fields = Fields.of(parts[5]);
                return parts[0].equals("walk")
                    ? walk(rules, base, count, end, fields)
                    : fixed(rules, base, count, end, fields, parts[6].equals("after"), parts[7].equals("both"));
        }
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String result;
            try {
                result = answer(line.split("\t"));
            } catch (Exception error) {
                result = "error: " + error;
            }
            System.out.println(result.strip());
            System.out.flush();
        }
    }
}
