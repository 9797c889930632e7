// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import java.util.List;
import java.util.stream.LongStream;

/** Many texts that are written to the cache before they are needed. The texts are made during the round. */
record WarmUpWork(CacheLibrary library, long entries, Texts texts) implements Work {

    private static final int READ_BACK = 1_000;

    @Override
    public ReadyWork open(WorkContext context) throws Exception {
        return new Writing(this, library.opener().open(context.target().withConnections(1), CacheAdapter.LONG_LIFE));
    }

    /** The server must have {@code expected} entries. Additional keys of the libraries do not count. */
    static ServerUse.Check entries(long expected) {
        return (server, sample) -> {
            long found = server.keys(CacheAdapter.NAME + ":") + server.control().hlen(CacheAdapter.HASH);
            return found == expected ? List.of() : List.of("entries: expected=" + expected + ", found=" + found);
        };
    }

    private record Writing(WarmUpWork work, CacheAdapter cache) implements ReadyWork {

        @Override
        public long run() throws Exception {
            return cache.putAll(work.texts.entries(work.entries));
        }

        /** The check of the server counts the entries. This check reads a part of the texts through the cache. */
        @Override
        public RoundDetails details() throws Exception {
            long step = Math.max(1, work.entries / READ_BACK);
            List<String> keys = LongStream.iterate(0, number -> number < work.entries, number -> number + step)
                    .mapToObj(Texts::key)
                    .toList();
            List<String> expected = keys.stream().map(work.texts::of).toList();
            return cache.getAll(keys).equals(expected)
                    ? RoundDetails.NONE
                    : RoundDetails.NONE.withComplaints(List.of(
                            "texts after the warm-up: some of " + keys.size() + " read texts are wrong or missing"));
        }

        @Override
        public void close() throws Exception {
            cache.close();
        }
    }
}
