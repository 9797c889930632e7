// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Invalidation;
import io.millrace.client.Invalidation.Cause;
import io.millrace.client.Invalidation.Everything;
import io.millrace.client.Invalidation.Keys;
import io.millrace.client.Tracking;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/** Tracking of which a test says what is told. */
final class ToldByHand implements Tracking {

    private final AtomicReference<Optional<Invalidation>> sum = new AtomicReference<>(Optional.empty());
    private volatile boolean established = true;

    void tell(String... keys) {
        tell(new Keys(List.of(keys)));
    }

    void tell(Invalidation next) {
        sum.updateAndGet(before -> Optional.of(sum(before, next)));
    }

    private static Invalidation sum(Optional<Invalidation> before, Invalidation next) {
        if (before.orElse(null) instanceof Keys some && next instanceof Keys more) {
            return new Keys(Stream.concat(some.keys().stream(), more.keys().stream())
                    .distinct()
                    .toList());
        }
        return before.filter(Everything.class::isInstance).isPresent() && next instanceof Keys ? before.get() : next;
    }

    void lose() {
        established = false;
        tell(new Everything(Cause.LOST));
    }

    void establish() {
        tell(new Everything(Cause.ESTABLISHED));
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
    public boolean isEstablished() {
        return established;
    }

    @Override
    public void close() {
        established = false;
    }
}
