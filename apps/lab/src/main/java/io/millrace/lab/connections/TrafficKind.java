// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A way to issue increments. */
enum TrafficKind {
    /** One thread waits for each reply. */
    SYNCHRONOUS {
        @Override
        void issue(IncrementSender sender, Duration time, long rate) throws Exception {
            long start = System.nanoTime();
            for (long n = 0; System.nanoTime() - start < time.toNanos(); n++) {
                sender.call(n);
            }
        }
    },

    /** One thread sends as many commands as the client accepts. */
    FLOOD {
        @Override
        void issue(IncrementSender sender, Duration time, long rate) throws Exception {
            long start = System.nanoTime();
            for (long n = 0; System.nanoTime() - start < time.toNanos(); n++) {
                sender.send(n);
            }
        }
    },

    /** One thread sends {@code rate} commands per second. */
    STEADY {
        @Override
        void issue(IncrementSender sender, Duration time, long rate) throws Exception {
            long start = System.nanoTime();
            long issued = 0;
            for (long passed = 0; passed < time.toNanos(); passed = System.nanoTime() - start) {
                for (long due = Math.round(passed / 1e9 * rate); issued < due; issued++) {
                    sender.send(issued);
                }
                LockSupport.parkNanos(500_000);
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
        }
    },

    /** Ten commands whose callbacks block for as long as the time limit of a command. */
    BLOCKING_CALLBACKS {
        @Override
        void issue(IncrementSender sender, Duration time, long rate) throws Exception {
            for (int n = 0; n < 10; n++) {
                sender.sendAndBlock(n, blockTime(time));
            }
        }

        @Override
        Duration timeLimit(Duration time) {
            return blockTime(time);
        }

        // A client without a time limit needs ten times the time that one callback blocks.
        @Override
        Duration patience(Duration time) {
            return blockTime(time).multipliedBy(12);
        }
    };

    private static final Duration TIME_LIMIT = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Issues commands for {@code time}. */
    abstract void issue(IncrementSender sender, Duration time, long rate) throws Exception;

    /** The time limit of one command in a round of {@code time}. */
    Duration timeLimit(Duration time) {
        return TIME_LIMIT;
    }

    /** How long the work waits for pending commands after the last command of a round of {@code time} was issued. */
    Duration patience(Duration time) {
        return PATIENCE;
    }

    /** 1 s in a round of 5 s or more; less in a shorter round, but at least 200 ms. */
    private static Duration blockTime(Duration time) {
        return Duration.ofMillis(Math.clamp(time.toMillis() / 5, 200, TIME_LIMIT.toMillis()));
    }
}
