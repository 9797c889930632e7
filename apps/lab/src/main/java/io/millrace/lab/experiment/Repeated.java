// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.Idiom;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.RedisServer;
import java.util.List;

/**
 * An activity of {@code commands} commands that is repeated, so that a round is long enough to be measured. Each
 * repetition has the same keys and the same values.
 */
record Repeated(Activity activity, long commands) implements Activity {

    @Override
    public String name() {
        return activity.name();
    }

    /** A multiple of {@code commands}. */
    @Override
    public long operations(long asked) {
        return Math.max(1, asked / commands) * commands;
    }

    @Override
    public Work work(long operations) {
        var once = activity.work(commands);
        return new Work() {
            @Override
            public void run(Idiom idiom, int batch) throws Exception {
                for (long done = 0; done < operations; done += commands) {
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
        for (long done = 0; done < operations; done += commands) {
            activity.fill(server, commands);
        }
    }

    @Override
    public Check check() {
        var once = activity.check();
        return new Check() {
            @Override
            public List<String> complaints(RedisServer server, long operations) {
                return once.complaints(server, commands);
            }

            @Override
            public Outcomes outcomes(RedisServer server, long operations) {
                long lost = once.outcomes(server, commands).lost();
                return new Outcomes(operations - lost, 0, 0, 0, lost);
            }
        };
    }
}
