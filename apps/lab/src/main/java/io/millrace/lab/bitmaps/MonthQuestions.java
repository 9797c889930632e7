// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmaps;

import io.millrace.lab.run.Bar;
import io.millrace.lab.run.Bar.Bound;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Figure;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.RedisServer;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.Workload;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A month of daily bitmaps is on the server, and questions are asked of it. Contenders compare the answers with what {@link Month}
 * counts id by id.
 *
 * @param glance whether only some questions are asked, about fewer ids
 */
public record MonthQuestions(boolean glance) implements Workload {

    /** The bitmaps of a month of these take 375 MB. */
    private static final long MOST = 100_000_000;

    /** There are fewer of them at a glance. */
    private static final int FEWER = 10;

    private static final Set<Question> AT_A_GLANCE = Set.of(Question.COUNTS, Question.UNION, Question.RETENTION);

    @Override
    public String name() {
        return "e6-month";
    }

    @Override
    public String experiment() {
        return "e6";
    }

    @Override
    public long operations(Size size) {
        return ids(size, glance);
    }

    /** How many ids a month is of. */
    static long ids(Size size, boolean glance) {
        return Math.clamp(size.memoryRows() / (glance ? FEWER : 1), 1, MOST);
    }

    /** A round is short, and the JVM goes on compiling for longer. */
    @Override
    public int warmUps() {
        return 2;
    }

    /** Each question is another. */
    @Override
    public boolean hasFactors() {
        return false;
    }

    @Override
    public List<Contender> contenders() {
        return Arrays.stream(Question.values())
                .filter(question -> !glance || AT_A_GLANCE.contains(question))
                .<Contender>flatMap(question -> question == Question.COHORTS
                        ? Stream.of(new AskedActivity(question))
                        : Stream.of(new AskedByHand(question), new AskedActivity(question)))
                .toList();
    }

    @Override
    public List<Bar> bars() {
        return contenders().stream()
                .filter(AskedActivity.class::isInstance)
                .map(contender -> Bar.absolute("wall", contender.label(), Figure.WALL, Bound.atMost(1)))
                .toList();
    }

    /** By Jedis, so that no contender's own code vouches for the data. */
    @Override
    public void fill(RedisServer server, long operations) {
        var bitmaps = new Month(operations).bitmaps();
        for (int day = 0; day < Month.DAYS; day++) {
            server.control().set(Month.key(day).getBytes(StandardCharsets.UTF_8), bitmaps.get(day));
        }
    }

    @Override
    public Check check() {
        return new Check() {

            // A question leaves nothing behind.
            @Override
            public List<String> complaints(RedisServer server, long operations) {
                long keys = server.keys();
                return keys == Month.DAYS ? List.of() : List.of("keys: expected=" + Month.DAYS + ", found=" + keys);
            }

            @Override
            public Outcomes outcomes(RedisServer server, long operations) {
                return Outcomes.answered(operations, 0);
            }
        };
    }
}
