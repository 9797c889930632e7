// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.Idiom;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An activity of {@code length} commands that is repeated, so that a round is long enough to be measured. Each
 * repetition has the same keys and the same values.
 */
record Repeated(Activity activity, long length) implements Activity {

    /** Maximum number of commands that Millrace fuses into one. */
    private static final int MAX_FUSED = 64;

    @Override
    public String name() {
        return activity.name();
    }

    /** A multiple of {@code length}. */
    @Override
    public long operations(long asked) {
        return Math.max(1, asked / length) * length;
    }

    @Override
    public Work work(long operations) {
        var once = activity.work(length);
        return new Work() {
            @Override
            public void run(Idiom idiom, int batch) throws Exception {
                for (long done = 0; done < operations; done += length) {
                    once.run(idiom, batch);
                }
            }

            @Override
            public List<String> complaints() {
                return once.complaints();
            }
        };
    }

    /** Fills once for each repetition. */
    @Override
    public void fill(RedisServer server, long operations) {
        for (long done = 0; done < operations; done += length) {
            activity.fill(server, length);
        }
    }

    @Override
    public List<Counted> commands() {
        return activity.commands();
    }

    @Override
    public Check check() {
        return check(false);
    }

    /**
     * The check of the data, and of the calls that the server has counted. The calls show that no repetition is missing.
     *
     * @param fused whether the contender fuses commands: then the number of calls is not known exactly
     */
    Check check(boolean fused) {
        var once = activity.check();
        return new Check() {
            @Override
            public List<String> complaints(RedisServer server, long operations) {
                var complaints = new ArrayList<String>();
                long expected = operations / activity.commands().size();
                activity.commands()
                        .forEach(counted ->
                                complaint(server, counted, expected, fused).ifPresent(complaints::add));
                complaints.addAll(once.complaints(server, length)); // last, because this check sends MGET
                return complaints;
            }

            @Override
            public Outcomes outcomes(RedisServer server, long operations) {
                long lost = once.outcomes(server, length).lost();
                return new Outcomes(operations - lost, 0, 0, 0, lost);
            }
        };
    }

    private static Optional<String> complaint(RedisServer server, Counted counted, long expected, boolean fused) {
        long calls = server.statistics(counted.command()).calls();
        long fusedCalls = fused ? server.statistics(counted.fused()).calls() : 0;
        boolean same = counted.command().equals(counted.fused());
        long most = (same ? 0 : calls) + MAX_FUSED * fusedCalls;
        boolean right = fused ? calls <= expected && most >= expected : calls == expected;
        return right
                ? Optional.empty()
                : Optional.of("calls of " + counted.command() + ": expected=" + expected + ", found=" + calls + ", of "
                        + counted.fused() + "=" + fusedCalls);
    }
}
