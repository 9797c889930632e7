// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.RedisClient;
import io.millrace.client.Strings;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * Reads keys through a near cache, as a cache does. A value in Redis is text: the time at which it ends, a blank, and what it is.
 *
 * @param served how often there was no need to ask Redis
 */
record NearReader(Near<String> near, RedisClient client, String prefix, LongAdder served) {

    private static final String SENTINEL = "sentinel";

    NearReader(Near<String> near, RedisClient client, String prefix) {
        this(near, client, prefix, new LongAdder());
    }

    Optional<String> read(String key) {
        Entry<String> here = near.find(key);
        if (here != null) {
            served.increment();
            return Optional.of(here.present());
        }
        Near.Ticket ticket = near.begin(key);
        Optional<String> there = client.call(Strings.get(prefix + key));
        there.ifPresentOrElse(
                text -> near.keep(ticket, Entries.sized(text, freshUntil(text), text.length())),
                () -> near.abandon(ticket));
        return there;
    }

    static String text(long freshUntil, String what) {
        return freshUntil + " " + what;
    }

    static long freshUntil(String text) {
        return Long.parseLong(text.substring(0, text.indexOf(' ')));
    }

    /**
     * Returns when what was written before has been told: what is told comes in order, so it is when a change of another key
     * is, which is made now.
     */
    void awaitWhatWasWritten(RedisClient writer) {
        writer.call(Strings.set(prefix + SENTINEL, text(Long.MAX_VALUE, "before")));
        Eventually.holds(
                "the sentinel is kept",
                () -> {
                    read(SENTINEL);
                    return Optional.ofNullable(near.find(SENTINEL));
                },
                Optional::isPresent);
        writer.call(Strings.set(prefix + SENTINEL, text(Long.MAX_VALUE, "after")));
        Eventually.is("the sentinel is told", Optional.empty(), () -> Optional.ofNullable(near.find(SENTINEL)));
    }
}
