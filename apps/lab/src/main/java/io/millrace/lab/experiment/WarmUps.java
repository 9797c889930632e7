// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.TextCache;
import io.millrace.lab.library.TextCache.Source;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.RedisServer;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.Workload;
import java.util.List;
import java.util.stream.Stream;

/**
 * Very many entries are written ahead, beside the same texts as plain strings by the writer that loads use.
 *
 * @param glance whether only Millrace does it
 */
record WarmUps(boolean glance) implements Workload {

    private static final int TIMES_SIZE = 10;

    @Override
    public String name() {
        return "e5-warm-up";
    }

    @Override
    public String experiment() {
        return "e5";
    }

    @Override
    public String variant(Contender contender) {
        return "warmup-" + contender.variant();
    }

    @Override
    public long operations(Size size) {
        return TIMES_SIZE * size.operations();
    }

    @Override
    public List<Contender> contenders() {
        var caches = Source.firstOfEach().stream()
                .filter(source -> !glance || source.name().equals("millrace"));
        return Stream.concat(Stream.of(Source.bare()), caches)
                .<Contender>map(Filling::new)
                .toList();
    }

    /** One of them keeps all entries in a hash. */
    @Override
    public Check check(Contender contender) {
        return new Entries(contender.name().equals("redisson"));
    }

    @Override
    public Check check() {
        return new Entries(false);
    }

    /** All entries must be there, and no others. What libraries keep beside them, such as Redisson's latches, which it may set at any time, are none. */
    record Entries(boolean inHash) implements Check {

        @Override
        public List<String> complaints(RedisServer server, long operations) {
            long found = inHash ? server.control().hlen(TextCache.MAP) : server.keys(TextCache.NAME + ":");
            return found == operations ? List.of() : List.of("entries: expected=" + operations + ", found=" + found);
        }

        @Override
        public Outcomes outcomes(RedisServer server, long operations) {
            throw new IllegalStateException("a contender keeps no account of its rounds");
        }
    }
}
