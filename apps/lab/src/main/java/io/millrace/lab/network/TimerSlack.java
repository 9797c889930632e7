// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Linux wakes a sleeping thread up to 50 us late, so as to wake several at once. A thread may ask for less for itself:
 * the proxy's delays are then some 50 us more exact, without waiting in a loop.
 */
final class TimerSlack {

    private static final Path THIS_THREAD = Path.of("/proc/thread-self");

    private TimerSlack() {}

    /**
     * Asks for 1 ns for the calling platform thread. Where that cannot be asked for, sleeps stay as they are: what
     * remains is measured anyway.
     */
    static void makeLeast() {
        try {
            var thread = Files.readSymbolicLink(THIS_THREAD).getFileName().toString();
            Files.writeString(Path.of("/proc", thread, "timerslack_ns"), "1");
        } catch (IOException | UnsupportedOperationException | SecurityException e) {
            // Not Linux, or not allowed.
        }
    }
}
