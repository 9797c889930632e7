// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Waits for the replies of sent commands. The command timeout of the client limits each wait. */
final class Futures {

    private Futures() {}

    /**
     * Returns the value, or throws the exception of the command.
     *
     * @throws BitmapException if the calling thread is interrupted. The interrupt flag stays set
     */
    static <T> T await(CompletableFuture<T> future) {
        try {
            if (Thread.interrupted()) {
                throw new InterruptedException(); // also if the future is already complete
            }
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BitmapException("the thread was interrupted while it read bits. Read the bits again.", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new BitmapException("bits could not be read. See the cause.", e);
        }
    }
}
