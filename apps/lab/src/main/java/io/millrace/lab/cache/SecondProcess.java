// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.ChildJvm;
import java.time.Duration;
import java.util.Optional;

/**
 * A JVM with the callers of the second process of a {@link Stampede}. Each request is a {@link Stampede.Expiry}, which the
 * second process answers with {@link Stampede.Observed}. Used by one thread.
 */
public final class SecondProcess implements AutoCloseable {

    /** What the second process opens. */
    record Setup(String cacheLabel, Target target, long computeMillis) {}

    private final ChildJvm child;

    private SecondProcess(ChildJvm child) {
        this.child = child;
    }

    /** Returns when the cache of the second process is open. */
    static SecondProcess start(Setup setup) {
        return new SecondProcess(ChildJvm.start(SecondProcess.class, setup));
    }

    /** Starts the callers and does not wait. */
    void begin(Stampede.Expiry expiry) {
        child.send(expiry);
    }

    Stampede.Observed await() {
        return child.receive(Stampede.Observed.class);
    }

    @Override
    public void close() {
        child.close();
    }

    /** The program of the second process. */
    public static void main(String[] args) throws Exception {
        var parent = new ChildJvm.Parent();
        Setup setup = parent.request(Setup.class).orElseThrow();
        CacheLibrary library = CacheLibrary.named(setup.cacheLabel);
        try (CacheAdapter cache = library.opener().open(setup.target, CacheAdapter.LONG_LIFE)) {
            var stampede = new Stampede(cache, "second", Duration.ofMillis(setup.computeMillis));
            parent.ready();
            for (Optional<Stampede.Expiry> expiry = parent.request(Stampede.Expiry.class);
                    expiry.isPresent();
                    expiry = parent.request(Stampede.Expiry.class)) {
                parent.answer(stampede.observe(expiry.get()));
            }
        }
    }
}
