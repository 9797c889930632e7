// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.List;
import java.util.SplittableRandom;

/**
 * Who goes on at a point. Which strategy a schedule has, and how eager it is, is drawn from its seed: no single one finds
 * all kinds of errors.
 */
sealed interface Strategy {

    /**
     * One of {@code able}.
     *
     * @param able who can run; not empty
     * @param current who has run until now, maybe no longer able
     * @param yielding whether that one spins or yields, and so needs another to run
     */
    Task choose(List<Task> able, Task current, boolean yielding);

    static Strategy draw(SplittableRandom random) {
        double[] eager = {1, 0.5, 0.2, 0.05};
        double[] rare = {0.2, 0.05, 0.02, 0.005};
        int choice = random.nextInt(8);
        return choice < 4 ? new Walk(random, eager[choice]) : new Priorities(random, rare[choice - 4]);
    }

    /** At each point the thread changes with a probability, and then anybody may go on. */
    record Walk(SplittableRandom random, double change) implements Strategy {

        @Override
        public Task choose(List<Task> able, Task current, boolean yielding) {
            boolean can = able.contains(current);
            if (can && !yielding && random.nextDouble() >= change) {
                return current;
            }
            int others = can && yielding && able.size() > 1 ? able.size() - 1 : able.size();
            int pick = random.nextInt(others);
            // The last one takes the place of the one that is to be left out.
            return others < able.size() && able.get(pick) == current ? able.getLast() : able.get(pick);
        }

        @Override
        public String toString() {
            return "walk, change=" + change;
        }
    }

    /**
     * Threads have random priorities and the first always goes on; at few, random points it becomes the last. Finds errors that
     * need one thread to stand still for long (probabilistic concurrency testing).
     */
    final class Priorities implements Strategy {

        /** Longest run without a change, for code that spins without saying so. */
        private static final int PATIENCE = 300;

        private final SplittableRandom random;
        private final double change;
        private long lowest;
        private int streak;

        Priorities(SplittableRandom random, double change) {
            this.random = random;
            this.change = change;
        }

        @Override
        public Task choose(List<Task> able, Task current, boolean yielding) {
            streak++;
            if (yielding || streak > PATIENCE || random.nextDouble() < change) {
                current.priority = --lowest;
            }
            Task first = able.getFirst();
            for (Task task : able) {
                if (task.priority == 0) {
                    task.priority = random.nextLong(1, Long.MAX_VALUE);
                }
                first = task.priority > first.priority ? task : first;
            }
            if (first != current) {
                streak = 0;
            }
            return first;
        }

        @Override
        public String toString() {
            return "priorities, change=" + change;
        }
    }
}
