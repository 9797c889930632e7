// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.run.EndWithJvm;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * What becomes of the lab when the JVM is told to end, by Ctrl-C say: its thread is interrupted, and the JVM waits
 * until it has cleaned up. Closed by that thread when it has.
 */
final class Interruption implements AutoCloseable {

    /** Contenders are killed at once; what takes time is to take a million keys away from a distant server. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final CountDownLatch over = new CountDownLatch(1);
    private final EndWithJvm end;

    private Interruption(Thread lab) {
        this.end = EndWithJvm.doing(() -> {
            lab.interrupt();
            try {
                if (!over.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                    System.err.println("lab: it took too long to clean up; keys may be left on the server");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** Has the calling thread clean up before the JVM ends. */
    static Interruption ofThisThread() {
        return new Interruption(Thread.currentThread());
    }

    @Override
    public void close() {
        over.countDown();
        end.callOff();
    }
}
