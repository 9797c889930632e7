// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.List;
import java.util.SplittableRandom;

/**
 * Chooses the thread that runs next at a schedule point. No single strategy finds all kinds of errors. So the seed also
 * decides which strategy a schedule uses, and with which parameter.
 */
sealed interface Strategy {

    /**
     * Returns one of {@code runnable}.
     *
     * @param runnable threads that can run; not empty
     * @param current thread that made the last step; {@code runnable} may not contain it
     * @param yielding whether {@code current} spins or yields, so that another thread should run
     */
    ScheduledThread choose(List<ScheduledThread> runnable, ScheduledThread current, boolean yielding);

    static Strategy draw(SplittableRandom random) {
        double[] eager = {1, 0.5, 0.2, 0.05};
        double[] rare = {0.2, 0.05, 0.02, 0.005};
        int choice = random.nextInt(8);
        return choice < 4 ? new RandomWalk(random, eager[choice]) : new Priorities(random, rare[choice - 4]);
    }

    /**
     * Changes the thread at random. At each schedule point the current thread continues, except with the probability
     * {@code change}: then a random thread runs next.
     */
    record RandomWalk(SplittableRandom random, double change) implements Strategy {

        @Override
        public ScheduledThread choose(List<ScheduledThread> runnable, ScheduledThread current, boolean yielding) {
            boolean can = runnable.contains(current);
            if (can && !yielding && random.nextDouble() >= change) {
                return current;
            }
            int others = can && yielding && runnable.size() > 1 ? runnable.size() - 1 : runnable.size();
            int pick = random.nextInt(others);
            // If {@code others} is smaller than the list, the current thread must not be chosen, and {@code pick} never
            // selects the last thread. So if {@code pick} selects the current thread, the last thread is chosen in its
            // place.
            return others < runnable.size() && runnable.get(pick) == current ? runnable.getLast() : runnable.get(pick);
        }

        @Override
        public String toString() {
            return "walk, change=" + change;
        }
    }

    /**
     * Gives each thread a random priority. The thread with the highest priority runs. At a few random schedule points,
     * the running thread receives the lowest priority. This strategy finds errors that occur only if one thread pauses
     * for a long time. It is known as probabilistic concurrency testing.
     */
    final class Priorities implements Strategy {

        /**
         * Maximum number of consecutive decisions for the same thread. Without this limit, a thread that spins without
         * {@code onSpinWait} could run forever.
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
