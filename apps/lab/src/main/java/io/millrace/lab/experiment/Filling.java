// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.Endpoint;
import io.millrace.lab.library.TextCache;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/** A cache that is given very many texts, as fast as it takes them. */
record Filling(TextCache.Source source) implements WarmContender {

    private static final int LOOKED_AT = 1_000;

    @Override
    public String name() {
        return source.name();
    }

    @Override
    public String variant() {
        return source.variant();
    }

    @Override
    public String jvm() {
        return source.label();
    }

    @Override
    public String note() {
        return source.note() + "; the texts are made meanwhile, one at a time";
    }

    @Override
    public Rounds open(Task task) throws Exception {
        return new Writing(source.opener().open(task.endpoint(), Endpoint.REPLY_TIMEOUT, 1), task.operations());
    }

    private record Writing(TextCache cache, long entries) implements Rounds {

        @Override
        public Optional<Outcomes> run() throws Exception {
            long written = cache.putAll(Texts.entries(entries));
            return Optional.of(Outcomes.answered(entries, entries - written));
        }

        /** That there are as many is known by the server; here, that the cache can read them. */
        @Override
        public List<String> complaints() throws Exception {
            long step = Math.max(1, entries / LOOKED_AT);
            var keys = LongStream.iterate(0, n -> n < entries, n -> n + step)
                    .mapToObj(Texts::key)
                    .toList();
            return Comparison.complaints("texts", keys.stream().map(Texts::of).toList(), cache.getAll(keys));
        }

        @Override
        public void close() throws Exception {
            cache.close();
        }
    }
}
