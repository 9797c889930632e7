// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.cache.Leases.LeaseSnapshot;
import io.millrace.cache.Leases.LeaseState;
import java.util.Optional;

/**
 * Loads under leases: one process at a time loads a key. Thread-safe.
 *
 * <p>DESIGN. A load takes a permit first and then claims the lease. In the opposite order, a load without a permit
 * would hold the lease and block the key for processes that have permits. If another process holds the lease, the load
 * releases its permit and waits for the end of the lease.
 */
final class LeasedLoad<V> implements LoadStrategy<V> {

    private final Leases<V> leases;
    private final LoadAdmission admission;
    private final LoaderInvoker<V> invoker;
    private final LoadTiming timing;
    private final LeaseWait<V> wait;

    LeasedLoad(Leases<V> leases, LoadAdmission admission, LoaderInvoker<V> invoker, LoadTiming timing) {
        this.leases = leases;
        this.admission = admission;
        this.invoker = invoker;
        this.timing = timing;
        this.wait = new LeaseWait<>(leases, admission, timing);
    }

    /** The result of one claim. */
    private sealed interface Attempt<V> {

        /**
         * The load has ended. {@code loaded} is the entry that must be written to Redis; empty if nothing must be
         * written.
         */
        record Finished<V>(Optional<LoadedEntry<V>> loaded) implements Attempt<V> {}

        /** Another process holds the lease. */
        record HeldByOther<V>(LeaseSnapshot<V> claim) implements Attempt<V> {}
    }

    @Override
    public Optional<LoadedEntry<V>> load(LoadTask<V> task) throws InterruptedException {
        long deadline = timing.deadline(task.limitNanos());
        while (wait.takePermit(task.load(), deadline)) {
            switch (attempt(task.load())) {
                case Attempt.Finished<V>(Optional<LoadedEntry<V>> loaded) -> {
                    return loaded;
                }
                case Attempt.HeldByOther<V>(LeaseSnapshot<V> leaseSnapshot) -> {
                    if (!wait.awaitFree(task, leaseSnapshot, deadline)) {
                        return Optional.empty();
                    }
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Claims the lease, and loads the value unless another process holds the lease. The load holds a permit at the
     * start. This method releases the permit in any case, and gives the lease back if there is no entry to write.
     */
    private Attempt<V> attempt(Load<V> load) throws InterruptedException {
        HeldLease lease = leases.begin(load.key());
        load.claiming(lease);
        Optional<LoadedEntry<V>> loaded = Optional.empty();
        try {
            LeaseSnapshot<V> leaseSnapshot = leases.claim(lease);
            if (!leaseSnapshot.mayLoad()) {
                return new Attempt.HeldByOther<>(leaseSnapshot);
            }
            loaded = loadAsHolder(load, lease, leaseSnapshot);
            return new Attempt.Finished<>(loaded);
        } finally {
            admission.release(load);
            if (loaded.isEmpty()) {
                leases.giveBack(lease);
            }
        }
    }

    /**
     * Loads the value. The process holds the lease, may hold the lease, or loads without a lease: if the claim got no
     * reply, Redis may have executed the claim, and if the circuit is open, there was no claim. An entry without a claim
     * is not written, because only a lease makes sure that the entry is not older than a removal.
     */
    private Optional<LoadedEntry<V>> loadAsHolder(Load<V> load, HeldLease lease, LeaseSnapshot<V> leaseSnapshot)
            throws InterruptedException {
        if (timing.isAnswered(load, leaseSnapshot.entry())) {
            load.complete(new LoadOutcome.Completed<>(leaseSnapshot.entry()));
            return Optional.empty();
        }
        boolean held = leaseSnapshot.state() == LeaseState.HELD;
        if (load.background && !held) {
            load.complete(new LoadOutcome.NotLoaded<>("Redis"));
            return Optional.empty();
        }
        if (!held) {
            leases.stop(lease);
        }
        Optional<EncodedEntry> encodedEntry = invoker.invoke(load);
        return lease.mayBeHeld() ? encodedEntry.map(loaded -> new LoadedEntry<>(load, loaded)) : Optional.empty();
    }
}
