// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.RedisClient;
import io.millrace.client.Setting.Unit;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Notices if the server evicts keys during a load.
 *
 * @param before number of keys that the server had evicted before the load; empty if the server does not report it
 */
record Eviction(OptionalLong before) {

    private static final String EVICTED = "evicted_keys";

    /** Reads the number before a load. Blocks until the reply arrives, but at most a second. */
    static Eviction before(RedisClient client) {
        return new Eviction(read(client));
    }

    /** The number of keys that the server has evicted since then; 0 if this number is unknown. */
    long since(RedisClient client) {
        OptionalLong now = before.isPresent() ? read(client) : OptionalLong.empty();
        // After a restart, the server counts from 0.
        return now.isPresent() ? Math.max(0, now.getAsLong() - before.orElse(0)) : 0;
    }

    /** A warning about {@code evicted} keys; empty if it is 0. */
    Optional<String> warning(long evicted) {
        return evicted == 0
                ? Optional.empty()
                : Optional.of("the server evicted keys during the load, so written rows may be gone: evicted_keys="
                        + Unit.COUNT.text(evicted)
                        + ". Raise maxmemory or choose the policy noeviction, and compare with --verify full.");
    }

    private static OptionalLong read(RedisClient client) {
        return ServerFacts.soon(client, "stats")
                .map(facts -> facts.number(EVICTED))
                .orElseGet(OptionalLong::empty);
    }
}
