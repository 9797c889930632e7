// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Waiting for what was sent. The client's own time limit ends it. */
final class Awaited {

    private Awaited() {}

    /**
     * The value, or the exception that there is instead of it.
     *
     * @throws BitmapException if the calling thread was interrupted; it is so again
     */
    static <T> T value(CompletableFuture<T> future) {
        try {
            if (Thread.interrupted()) {
                throw new InterruptedException(); // also if the value is there already
            }
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BitmapException("interrupted while bits were read. Read them again.", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new BitmapException("bits could not be read. See the cause.", e);
        }
    }
}
