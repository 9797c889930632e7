// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Command;
import io.millrace.client.Outcome;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisException;
import io.millrace.client.Result;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes what loads have loaded. Any thread. */
final class LoadedWriter<V> {

    /** In one pipeline: whoever removes a key that is being written waits for so many. */
    private static final int LOADS_AT_ONCE = 1_000;

    private final Loads<V> loads;
    private final Store<V> store;
    private final @Nullable Leases<V> leases;

    LoadedWriter(Loads<V> loads, Store<V> store, @Nullable Leases<V> leases) {
        this.loads = loads;
        this.store = store;
        this.leases = leases;
    }

    /** Writes it, and says whether that is known to have been done. To end the load is for the caller. */
    boolean write(Loaded<V> loaded) {
        Load<V> load = loaded.load();
        try {
            if (!load.mayWrite()) {
                release(loaded);
                return false;
            }
            return leases == null
                    ? store.write(load.key(), loaded.draft())
                    : leases.write(load.key(), loaded.token(), loaded.draft());
        } finally {
            loaded.renewal().stop();
        }
    }

    /** Writes all of them, after which their loads are gone. Gives up when Redis does not answer. */
    void write(List<Loaded<V>> all) {
        boolean answers = true;
        for (int from = 0; from < all.size(); from += LOADS_AT_ONCE) {
            List<Loaded<V>> some = all.subList(from, Math.min(all.size(), from + LOADS_AT_ONCE));
            try {
                answers = answers && writeSome(some);
            } finally {
                some.forEach(this::ended);
            }
        }
    }

    /** In one pipeline; false if Redis did not answer in time. */
    private boolean writeSome(List<Loaded<V>> some) {
        try {
            Pipeline pipeline = store.client().pipeline();
            List<Result<?>> results = new ArrayList<>(some.size());
            for (Loaded<V> loaded : some) {
                if (loaded.load().mayWrite()) {
                    results.add(pipeline.add(writing(loaded)));
                } else {
                    release(loaded);
                }
            }
            pipeline.run();
            results.forEach(this::look);
            return results.stream()
                    .map(Result::outcome)
                    .noneMatch(how -> how instanceof Outcome.TimedOut || how instanceof Outcome.Refused);
        } catch (RedisException e) {
            store.failed("write", e);
            return false;
        }
    }

    private Command<?> writing(Loaded<V> loaded) {
        String key = loaded.load().key();
        return leases == null ? store.set(key, loaded.draft()) : leases.writing(key, loaded.token(), loaded.draft());
    }

    /** Whoever made the load worthless has taken its lease away, but it may have got another since. */
    private void release(Loaded<V> loaded) {
        if (leases != null) {
            leases.release(loaded.load().key(), loaded.token());
        }
    }

    private void look(Result<?> result) {
        if (!result.ok()) {
            try {
                result.value();
            } catch (RedisException e) {
                store.failed("write", e);
            }
        }
    }

    private void ended(Loaded<V> loaded) {
        loaded.renewal().stop();
        loads.ended(loaded.load());
    }
}
