// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** What a future failed with, without the exceptions that futures put around it. */
final class Unwrapped {

    /** Null if there is no {@code failure}. */
    static @Nullable Throwable of(@Nullable Throwable failure) {
        var inner = failure;
        while ((inner instanceof CompletionException || inner instanceof ExecutionException)
                && inner.getCause() != null) {
            inner = inner.getCause();
        }
        return inner;
    }

    private Unwrapped() {}
}
