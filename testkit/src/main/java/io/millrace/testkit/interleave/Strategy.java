// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.List;
import java.util.SplittableRandom;

/**
 * Chooses the thread that runs next at a point. The strategy of a schedule and its parameter are drawn from the seed,
 * since no single strategy finds all kinds of errors.
 */
sealed interface Strategy {

    /**
     * Returns one of {@code runnable}.
     *
     * @param runnable threads that can run; not empty
     * @param current thread that ran until now, which may no longer be able to run
     * @param yielding whether {@code current} spins or yields, and so needs another thread to run
     */
    ScheduledThread choose(List<ScheduledThread> runnable, ScheduledThread current, boolean yielding);

    static Strategy draw(SplittableRandom random) {
        double[] eager = {1, 0.5, 0.2, 0.05};
        double[] rare = {0.2, 0.05, 0.02, 0.005};
        int choice = random.nextInt(8);
        return choice < 4 ? new RandomWalk(random, eager[choice]) : new Priorities(random, rare[choice - 4]);
    }

    /** A random walk: at each point the thread changes with a fixed probability, and then any thread may run. */
    record RandomWalk(SplittableRandom random, double change) implements Strategy {

        @Override
        public ScheduledThread choose(List<ScheduledThread> runnable, ScheduledThread current, boolean yielding) {
            boolean can = runnable.contains(current);
            if (can && !yielding && random.nextDouble() >= change) {
                return current;
            }
            int others = can && yielding && runnable.size() > 1 ? runnable.size() - 1 : runnable.size();
            int pick = random.nextInt(others);
            // If the excluded thread was picked, take the last thread instead.
            return others < runnable.size() && runnable.get(pick) == current ? runnable.getLast() : runnable.get(pick);
        }

        @Override
        public String toString() {
            return "walk, change=" + change;
        }
    }

    /**
     * Threads have random priorities, and the thread with the highest priority always runs. At a few random points the
     * running thread receives the lowest priority. This strategy finds errors that need one thread to pause for long
     * (probabilistic concurrency testing).
     */
    final class Priorities implements Strategy {

        /**
         * Maximum number of consecutive decisions for one thread. The limit is for code that spins without {@code
         * onSpinWait}.
         */
        private static final int MAX_STREAK = 300;

        private final SplittableRandom random;
        private final double change;
        private long lowest;
        private int streak;

        Priorities(SplittableRandom random, double change) {
            this.random = random;
            this.change = change;
        }

        @Override
        public ScheduledThread choose(List<ScheduledThread> runnable, ScheduledThread current, boolean yielding) {
            streak++;
            if (yielding || streak > MAX_STREAK || random.nextDouble() < change) {
                current.priority = --lowest;
            }
            ScheduledThread first = runnable.getFirst();
            for (ScheduledThread scheduledThread : runnable) {
                if (scheduledThread.priority == 0) {
                    scheduledThread.priority = random.nextLong(1, Long.MAX_VALUE);
                }
                first = scheduledThread.priority > first.priority ? scheduledThread : first;
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
