// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import io.millrace.lab.server.EndWithJvm;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets the lab clean up when the JVM ends early, such as after Ctrl-C: the shutdown hook interrupts the thread of the
 * lab and waits until the thread has closed this object.
 */
public final class Interruption implements AutoCloseable {

    /** Workers end at once. The removal of a million keys from a distant server may take long. */
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final CountDownLatch closed = new CountDownLatch(1);
    private final EndWithJvm end;

    private Interruption(Thread lab) {
        this.end = EndWithJvm.run(() -> interrupt(lab));
    }

    /** Interrupts the calling thread when the JVM ends. */
    public static Interruption ofThisThread() {
        return new Interruption(Thread.currentThread());
    }

    private void interrupt(Thread lab) {
        lab.interrupt();
        try {
            if (!closed.await(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                System.err.println("lab: the removal of keys took longer than " + LIMIT.toMinutes()
                        + " min; keys may be left on the server");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Call after everything is cleaned up. */
    @Override
    public void close() {
        closed.countDown();
        end.cancel();
    }
}
