// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import java.util.concurrent.CompletableFuture;

/** A future to be completed, and who does it. */
record Completion<T>(CompletableFuture<T> future, Completions completions) {

    void offer(PendingCall<T> call) {
        completions.offer(call);
    }
}
