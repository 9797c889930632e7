// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import java.util.Collection;

/** Waits for threads. */
final class Threads {

    /** Returns when all threads have ended. An interrupt does not end the wait, and is kept. */
    static void join(Collection<Thread> threads) {
        boolean isInterrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private Threads() {}
}
