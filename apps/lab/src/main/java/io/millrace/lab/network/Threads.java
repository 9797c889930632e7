// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import java.util.List;

/** Waiting for threads that have been told to end. */
final class Threads {

    private Threads() {}

    /** Returns when all have ended, even if interrupted meanwhile; the caller is then interrupted afterwards. */
    static void join(Thread... threads) {
        boolean interrupted = false;
        for (var thread : List.of(threads)) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
