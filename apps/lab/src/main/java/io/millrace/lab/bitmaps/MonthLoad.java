// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmaps;

import io.millrace.lab.run.Check;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Figure;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.RedisServer;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.Workload;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The history of a month is loaded, and what it takes in memory is set beside what was estimated. Every bit is then compared.
 *
 * @param glance whether it is of fewer ids
 */
public record MonthLoad(boolean glance) implements Workload {

    static final String BYTES = "bytes";
    static final String ESTIMATED_BYTES = "estimated bytes";

    @Override
    public String name() {
        return "e6-history";
    }

    @Override
    public String experiment() {
        return "e6";
    }

    @Override
    public long operations(Size size) {
        return MonthQuestions.ids(size, glance);
    }

    @Override
    public boolean hasFactors() {
        return false;
    }

    @Override
    public Map<String, Figure> figures() {
        return Figure.allOwn(ESTIMATED_BYTES, BYTES);
    }

    @Override
    public List<Contender> contenders() {
        return List.of(new LoadedMonth());
    }

    @Override
    public Check check() {
        return new Check() {
            @Override
            public List<String> complaints(RedisServer server, long operations) {
                var bitmaps = new Month(operations).bitmaps();
                var complaints = new ArrayList<String>();
                for (int day = 0; day < Month.DAYS; day++) {
                    byte[] found = server.control().get(Month.key(day).getBytes(StandardCharsets.UTF_8));
                    if (found == null || !isSame(bitmaps.get(day), found)) {
                        complaints.add("bitmap of a day: wrong or missing, day=" + Month.SPANS.get(day));
                    }
                }
                return complaints;
            }

            // Not asked for: an account is kept.
            @Override
            public Outcomes outcomes(RedisServer server, long operations) {
                return Outcomes.answered(operations, 0);
            }
        };
    }

    /** Zeros at the end count for nothing. */
    private static boolean isSame(byte[] expected, byte[] found) {
        int longest = Math.max(expected.length, found.length);
        return Arrays.equals(Arrays.copyOf(expected, longest), Arrays.copyOf(found, longest));
    }
}
