// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.concurrent.locks.LockSupport;

/** Keeps a lease while its holder loads: a virtual thread that speaks up every third of it. */
final class Renewal {

    /** Of none: nothing is held. */
    static final Renewal NONE = new Renewal(() -> false, 0);

    private final Thread thread;

    /** Set once, by whoever stops it. */
    private volatile boolean stopped;

    private Renewal(Renewing renewing, long nanos) {
        this.thread = Thread.ofVirtual().name("millrace-cache-lease").unstarted(() -> run(renewing, nanos));
    }

    /** Renews until it is stopped, or the lease is another's. */
    static <V> Renewal start(Leases<V> leases, String key, String token) {
        Renewal renewal =
                new Renewal(() -> leases.renew(key, token), leases.lease().toNanos() / 3);
        renewal.thread.start();
        return renewal;
    }

    void stop() {
        stopped = true;
        LockSupport.unpark(thread);
    }

    private void run(Renewing renewing, long nanos) {
        long next = System.nanoTime() + nanos;
        while (!stopped) {
            long left = next - System.nanoTime();
            if (left > 0) {
                LockSupport.parkNanos(left);
            } else if (renewing.isOurs()) {
                next = System.nanoTime() + nanos;
            } else {
                return;
            }
        }
    }

    /** One renewal. */
    private interface Renewing {

        boolean isOurs();
    }
}
