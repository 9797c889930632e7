// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A loader that runs on the thread of its caller, because the loader needs the transaction, the security context or the
 * logging context of this thread. Confined to the calling thread.
 *
 * <p>DESIGN. The caller cannot leave while its loader runs. So the caller always gets the result of its own loader, even
 * if the load has ended for all other callers before: at the load timeout, or because the cache was closed.
 */
final class CallersLoader<V> implements OptionalLoader<V> {

    private final OptionalLoader<V> loader;

    /** The result of the loader; null if the loader was not called. */
    private @Nullable LoadOutcome<V> outcome;

    CallersLoader(OptionalLoader<V> loader) {
        this.loader = loader;
    }

    @Override
    public Optional<? extends V> load(String key) throws Exception {
        long begin = System.nanoTime();
        try {
            Optional<? extends V> loaded = loader.load(key);
            @Nullable V value = loaded.orElse(null);
            outcome = new LoadOutcome.Completed<>(Entry.loaded(value));
            return loaded;
        } catch (Throwable e) { // the caller receives an Error of its loader, too
            long afterMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
            outcome = new LoadOutcome.Failed<>(e, afterMillis, false);
            throw e;
        }
    }

    /** Returns the result of the loader; null if the loader was not called. */
    @Nullable
    LoadOutcome<V> outcome() {
        return outcome;
    }
}
