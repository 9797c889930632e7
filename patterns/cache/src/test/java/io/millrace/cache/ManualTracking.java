// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Invalidation;
import io.millrace.client.Invalidation.Cause;
import io.millrace.client.Invalidation.ChangedKeys;
import io.millrace.client.Invalidation.Everything;
import io.millrace.client.Tracking;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/** A tracking connection whose invalidations are sent by the test. */
final class ManualTracking implements Tracking {

    private final AtomicReference<Optional<Invalidation>> sum = new AtomicReference<>(Optional.empty());
    private volatile boolean established = true;

    void invalidate(String... keys) {
        invalidate(new ChangedKeys(List.of(keys)));
    }

    void invalidate(Invalidation next) {
        sum.updateAndGet(before -> Optional.of(sum(before, next)));
    }

    private static Invalidation sum(Optional<Invalidation> before, Invalidation next) {
        if (before.orElse(null) instanceof ChangedKeys earlier && next instanceof ChangedKeys later) {
            return new ChangedKeys(Stream.concat(earlier.keys().stream(), later.keys().stream())
                    .distinct()
                    .toList());
        }
        return before.filter(Everything.class::isInstance).isPresent() && next instanceof ChangedKeys
                ? before.get()
                : next;
    }

    void lose() {
        established = false;
        invalidate(new Everything(Cause.CONNECTION_LOST));
    }

    void establish() {
        invalidate(new Everything(Cause.RECONNECTED));
        established = true;
    }

    @Override
    public Optional<Invalidation> poll(Duration timeout) {
        return sum.getAndSet(Optional.empty());
    }

    @Override
    public int waiting() {
        return sum.get().isPresent() ? 1 : 0;
    }

    @Override
    public boolean isUpToDate() {
        return established;
    }

    @Override
    public void close() {
        established = false;
    }
}
