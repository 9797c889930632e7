// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.Counters;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Experiment;
import io.millrace.lab.run.Measured;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.RedisServer;
import io.millrace.lab.run.Run;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.Workload;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.IntStream;

/** What becomes of commands that nobody waits for: second by second, beside the server's own count. */
public final class AsynchronousThroughput implements Experiment {

    private static final long MILLIS = 10_000;
    private static final long LEAST_MILLIS = 1_000;
    private static final long LEAST_FLOOD_MILLIS = 1_250;

    private final boolean glance;

    public AsynchronousThroughput() {
        this(false);
    }

    private AsynchronousThroughput(boolean glance) {
        this.glance = glance;
    }

    @Override
    public AsynchronousThroughput atAGlance() {
        return new AsynchronousThroughput(true);
    }

    @Override
    public String name() {
        return "e2";
    }

    @Override
    public String title() {
        return "Asynchronous throughput";
    }

    @Override
    public String description() {
        return "Increments that are waited for, fired and forgotten, paced, and answered to callbacks that block;"
                + " its size is the milliseconds of a variant.";
    }

    @Override
    public long operations() {
        return MILLIS;
    }

    @Override
    public List<Workload> workloads() {
        return List.of(new Incrementing(glance));
    }

    /** At a glance three libraries are seen, and two where a thread waits for each reply or there are several clients. */
    private record Incrementing(boolean glance) implements Workload {

        private static final Set<String> AT_A_GLANCE = Set.of("lettuce", "glide", "millrace");

        private static final Set<String> IN_ALL_TRAFFIC = Set.of("lettuce", "millrace");

        @Override
        public String name() {
            return "e2";
        }

        @Override
        public long operations(Size size) {
            return Math.max(LEAST_MILLIS, size.operations());
        }

        /** A collapse takes a time limit and some more to show. */
        @Override
        public long operations(Size size, Contender contender, Duration distance) {
            boolean flood =
                    contender instanceof Sending sending && sending.traffic().isFlood();
            return Math.max(operations(size), flood ? LEAST_FLOOD_MILLIS : 0);
        }

        /** One tells much by its seconds, and has to do where not even the usual rounds are asked for. */
        @Override
        public int rounds(int asked) {
            return asked <= 2 ? 1 : asked;
        }

        /** Its variants do different things. */
        @Override
        public boolean hasFactors() {
            return false;
        }

        /** None: each contender warms up by itself, and a round is long. */
        @Override
        public int warmUps() {
            return 0;
        }

        @Override
        public List<Contender> contenders() {
            return Traffic.ALL.stream()
                    .flatMap(traffic -> Counters.Source.all().stream()
                            .filter(source -> source.asynchronous() || traffic.waits())
                            .filter(source -> !glance || isSeenAtAGlance(source, traffic))
                            .<Contender>map(source -> new Sending(source, traffic)))
                    .toList();
        }

        private static boolean isSeenAtAGlance(Counters.Source source, Traffic traffic) {
            boolean usual = traffic.clients() == 1 && !traffic.waits();
            return (usual ? AT_A_GLANCE : IN_ALL_TRAFFIC).contains(source.name());
        }

        /** The window over the round trip is what a client that keeps to one can reach. */
        @Override
        public OptionalDouble idealSeconds(Run run) {
            double roundTripSeconds = run.roundTrip().toNanos() / 1e9;
            if (run.contender() instanceof Sending sending && sending.isLimitedByWindow() && roundTripSeconds > 0) {
                return OptionalDouble.of(run.medianOperations() * roundTripSeconds / sending.window());
            }
            return OptionalDouble.empty();
        }

        @Override
        public Check check() {
            return new Sums();
        }
    }

    /** Every acknowledged increment must be in the counters, and nothing that was not issued. */
    private static final class Sums implements Check {

        @Override
        public List<String> complaints(RedisServer server, long operations) {
            return complaints(sum(server), operations, Long.MAX_VALUE);
        }

        @Override
        public List<String> complaints(RedisServer server, long operations, Measured measured) {
            long issued = Math.round(measured.figures().getOrDefault("issued", (double) Long.MAX_VALUE));
            return complaints(sum(server), operations, issued);
        }

        private static List<String> complaints(long sum, long acknowledged, long issued) {
            if (sum < acknowledged) {
                return List.of("increments: acknowledged=" + acknowledged + ", in the counters=" + sum);
            }
            return sum > issued ? List.of("increments: issued=" + issued + ", in the counters=" + sum) : List.of();
        }

        private static long sum(RedisServer server) {
            var keys = IntStream.range(0, Traffic.KEYS).mapToObj(Traffic::key).toArray(String[]::new);
            return server.control().mget(keys).stream()
                    .mapToLong(value -> value == null ? 0 : Long.parseLong(value))
                    .sum();
        }

        @Override
        public Outcomes outcomes(RedisServer server, long operations) {
            return Outcomes.answered(sum(server), 0);
        }
    }
}
