// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.Optional;

/** Loads without leases: processes load independently of each other. Thread-safe. */
final class DirectLoad<V> implements LoadStrategy<V> {

    private final EntryStore<V> entryStore;
    private final LoadAdmission admission;
    private final LoaderInvoker<V> invoker;
    private final LoadTiming timing;

    DirectLoad(EntryStore<V> entryStore, LoadAdmission admission, LoaderInvoker<V> invoker, LoadTiming timing) {
        this.entryStore = entryStore;
        this.admission = admission;
        this.invoker = invoker;
        this.timing = timing;
    }

    @Override
    public Optional<LoadedEntry<V>> load(LoadTask<V> task) throws InterruptedException {
        Load<V> load = task.load();
        if (task.readsFirst()) {
            Entry<V> stored = entryStore.read(load.key());
            if (timing.isAnswered(load, stored)) {
                load.complete(new LoadOutcome.Completed<>(stored));
                return Optional.empty();
            }
        }
        if (!admission.tryAcquire(load, task.limitNanos())) {
            load.complete(LoadOutcome.noPermit());
            return Optional.empty();
        }
        try {
            return invoker.invoke(load).map(encodedEntry -> new LoadedEntry<>(load, encodedEntry));
        } finally {
            admission.release(load);
        }
    }
}
