// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import java.util.concurrent.CompletableFuture;

/** A future, and the completer that completes it. */
public record FutureCompletion<T>(CompletableFuture<T> future, FutureCompleter completions) {

    void offer(PendingCall<T> call) {
        completions.offer(call);
    }
}
