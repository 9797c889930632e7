// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.run.Check;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Measured;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.RedisServer;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.Workload;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * One setting at several values, the others held, of a client that sends small {@code SET}s for a time. Its size is the
 * milliseconds of a round.
 *
 * @param setting in one word, such as {@code in-flight}
 * @param title for people
 * @param values from the lowest to the highest
 * @param sender who sends
 */
public record Sweep(String setting, String title, List<Long> values, Sender sender) implements Workload {

    /** What {@code *3} and the name of a {@code SET} take on the wire: a fused one goes without. */
    private static final int HEAD_BYTES = 4 + 9;

    /** What key and value take, with their lengths. */
    private static final int PAIR_BYTES = 5 + 28 + 5 + 18;

    private static final int ROUND_TRIPS = 20;

    /** Commands in flight on one connection, for a bulk load. */
    public static final Sweep IN_FLIGHT = new Sweep(
            "in-flight",
            "commands in flight per connection, bulk writer",
            List.of(16L, 64L, 256L, 1_024L, 4_096L, 16_384L, 65_536L),
            Sender.BULK_IN_FLIGHT);

    /** Connections for a bulk load. */
    public static final Sweep CONNECTIONS = new Sweep(
            "connections",
            "connections, a bulk writer and a thread each",
            List.of(1L, 2L, 4L, 8L),
            Sender.BULK_CONNECTIONS);

    /** Whether adjacent commands of a bulk load are fused: 1 if they are. */
    public static final Sweep FUSION = new Sweep(
            "fusion",
            "fusion of adjacent commands, off (0) or on (1), bulk writer",
            List.of(0L, 1L),
            Sender.BULK_FUSION);

    /** Commands in a pipeline that is run and waited for. */
    public static final Sweep BATCH = new Sweep(
            "batch",
            "commands in a pipeline, one thread that waits for each pipeline",
            List.of(1L, 10L, 100L, 1_000L, 10_000L),
            Sender.PIPELINE);

    /** Connections of a client that serves many callers. */
    public static final Sweep SHARED = new Sweep(
            "shared-connections",
            "connections shared by " + Sender.CALLERS + " virtual callers",
            List.of(1L, 2L, 4L, 8L),
            Sender.SHARED_CONNECTIONS);

    /** All of them, in the order in which each may build on what was found before. */
    public static final List<Sweep> ALL = List.of(IN_FLIGHT, CONNECTIONS, FUSION, BATCH, SHARED);

    @Override
    public String name() {
        return experiment() + "-" + setting;
    }

    @Override
    public String experiment() {
        return "e8";
    }

    @Override
    public long operations(Size size) {
        return size.operations();
    }

    /** Not so short that the last round trip of a round would count. */
    @Override
    public long operations(Size size, Contender contender, Duration distance) {
        return Math.max(size.operations(), ROUND_TRIPS * distance.toMillis());
    }

    @Override
    public List<Contender> contenders() {
        return values.stream().map(this::point).toList();
    }

    /** The contender with {@code value}. */
    public Contender point(long value) {
        return new SweepPoint(this, value);
    }

    /** Whether each pipeline or caller waits for its replies. */
    public boolean waits() {
        return equals(BATCH) || equals(SHARED);
    }

    /** The most commands that {@code contender} can have in flight, with the settings {@code held}. */
    public long inFlight(Contender contender, Map<String, Long> held) {
        long heldInFlight = held.getOrDefault(SweepPoint.HELD_IN_FLIGHT, 1L);
        if (equals(FUSION)) {
            return heldInFlight;
        }
        return equals(SHARED) ? Sender.CALLERS : valueOf(contender) * heldInFlight;
    }

    /** What each of the commands of {@code contender} takes on the wire, at least. */
    public int commandBytes(Contender contender) {
        boolean mayBeFused = equals(FUSION) ? valueOf(contender) > 0 : !equals(BATCH) || valueOf(contender) > 1;
        return mayBeFused ? PAIR_BYTES : HEAD_BYTES + PAIR_BYTES;
    }

    /** The value of a contender of {@link #contenders}. */
    public static long valueOf(Contender contender) {
        if (contender instanceof SweepPoint point) {
            return point.value();
        }
        throw new IllegalArgumentException("not of a sweep: " + contender.label());
    }

    @Override
    public Check check() {
        return new Check() {
            @Override
            public List<String> complaints(RedisServer server, long operations) {
                return Pairs.complaintsOfSome(server, Sender.KEYS, Math.min(operations, Sender.KEYS));
            }

            @Override
            public List<String> complaints(RedisServer server, long operations, Measured measured) {
                long set = Math.round(measured.figures().getOrDefault(SweepPoint.KEYS, -1.0));
                return Pairs.complaintsOfSome(server, Sender.KEYS, set);
            }

            @Override
            public Outcomes outcomes(RedisServer server, long operations) {
                return Outcomes.answered(operations, 0);
            }
        };
    }
}
