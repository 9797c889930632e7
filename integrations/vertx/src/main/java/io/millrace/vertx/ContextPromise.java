// SPDX-License-Identifier: Apache-2.0
package io.millrace.vertx;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Completes the promise of a caller with the end of its command. The executor of the caller's context calls this object;
 * the promise then dispatches to the context, also to a duplicated one.
 *
 * @param report receives the end first; null without metrics and without a tracer
 */
record ContextPromise<T>(Promise<T> promise, @Nullable CommandReport report)
        implements BiConsumer<T, @Nullable Throwable> {

    @Override
    public void accept(T value, @Nullable Throwable failure) {
        if (report != null) {
            report.ended(failure);
        }
        if (failure == null) {
            promise.complete(value);
        } else {
            promise.fail(failure);
        }
    }

    Future<T> future() {
        return promise.future();
    }
}
