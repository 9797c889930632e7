// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.Endpoint;
import io.millrace.lab.run.Keyspace;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import redis.clients.jedis.Jedis;

/** Pairs {@code id -> id} written in one layout by one client. */
record StoredPairs(PairClient client, Layout layout) implements WarmContender {

    static final String BYTES_PER_PAIR = "bytes per pair";

    @Override
    public String name() {
        return client.word();
    }

    @Override
    public String variant() {
        return layout.word();
    }

    @Override
    public String jvm() {
        return name();
    }

    @Override
    public String note() {
        return client.note() + "; keys " + Keyspace.PREFIX
                + "0 and on, values 0 and on; the time is that of writing, memory is"
                + " used_memory without clients' buffers, after all pairs have been read back";
    }

    @Override
    public Optional<String> missing(Endpoint endpoint) {
        return MemoryServer.missing(endpoint);
    }

    @Override
    public Rounds open(Task task) {
        return new Writing(client, layout, task);
    }

    /** The hash of the pair {@code id}. */
    static String hash(Layout layout, long id) {
        return Keyspace.PREFIX + "{" + id / layout.pairsPerBucket() + "}:" + layout.pairsPerBucket();
    }

    /** What was found on the server after a round. */
    private record Finding(long bytes, List<String> complaints) {}

    /** Rounds on a server that is emptied before and after. */
    private static final class Writing implements Rounds {

        private static final int BATCH = 1_000;

        private final PairClient client;
        private final Layout layout;
        private final Task task;

        /** There is one from {@link #prepare} to {@link #finish}. */
        private Optional<MemoryServer> server = Optional.empty();

        private long emptyBytes;

        /** Of the last round. */
        private Finding finding = new Finding(0, List.of());

        Writing(PairClient client, Layout layout, Task task) {
            this.client = client;
            this.layout = layout;
            this.task = task;
        }

        @Override
        public void prepare() {
            close(); // that of a round that failed
            var opened = MemoryServer.open(task.endpoint(), task.operations());
            server = Optional.of(opened);
            if (layout.raisesLimit()) {
                opened.raiseLimit(layout.pairsPerBucket());
            }
            emptyBytes = opened.usedBytes();
        }

        @Override
        public Optional<Outcomes> run() {
            return Optional.of(client.write(server().endpoint(), layout, task.operations()));
        }

        /** The first that is asked for after a round: every pair is read back, and then the memory is looked at. */
        @Override
        public Map<String, Double> figures() {
            // In this order: looking up keys drives a table that is growing to its end, until when it takes the memory
            // of two.
            var complaints = look(server().control());
            finding = new Finding(server().usedBytes() - emptyBytes, complaints);
            return Map.of(BYTES_PER_PAIR, (double) finding.bytes() / task.operations());
        }

        @Override
        public List<String> complaints() {
            return finding.complaints();
        }

        private List<String> look(Jedis control) {
            var complaints = new ArrayList<String>();
            long right = layout.isPacked() ? rightFields(control) : rightStrings(control);
            if (right != task.operations()) {
                complaints.add("pairs: expected=" + task.operations() + ", right=" + right);
            }
            if (layout.isPacked() && isCompact(control) != layout.pairsPerBucket() <= server().limit()) {
                complaints.add("form of a hash: pairsPerBucket=" + layout.pairsPerBucket() + ", limit="
                        + server().limit() + ", compact=" + isCompact(control));
            }
            return complaints;
        }

        private long rightStrings(Jedis control) {
            long right = 0;
            for (long from = 0; from < task.operations(); from += BATCH) {
                var expected = LongStream.range(from, Math.min(from + BATCH, task.operations()))
                        .mapToObj(Long::toString)
                        .toList();
                var keys = expected.stream().map(id -> Keyspace.PREFIX + id).toArray(String[]::new);
                var found = control.mget(keys);
                for (int i = 0; i < expected.size(); i++) {
                    right += expected.get(i).equals(found.get(i)) ? 1 : 0;
                }
            }
            return right;
        }

        private long rightFields(Jedis control) {
            long right = 0;
            for (long from = 0; from < task.operations(); from += layout.pairsPerBucket()) {
                long end = Math.min(from + layout.pairsPerBucket(), task.operations());
                var found = control.hgetAll(hash(layout, from));
                for (long id = from; id < end; id++) {
                    right += Long.toString(id).equals(found.get(Long.toString(id - from))) ? 1 : 0;
                }
            }
            return right;
        }

        private boolean isCompact(Jedis control) {
            var encoding = control.objectEncoding(hash(layout, 0));
            return encoding.equals("listpack") || encoding.equals("ziplist");
        }

        @Override
        public Optional<String> remark() {
            String form = layout.isPacked()
                    ? ", " + server().control().objectEncoding(hash(layout, 0)) + ", hash-max-" + server().family()
                            + "-entries=" + server().limit()
                    : "";
            String trap = layout.isPacked() && layout.pairsPerBucket() > server().limit()
                    ? ": THE TRAP, hashes above the limit are not compact"
                    : "";
            return Optional.of(String.format(
                    Locale.ROOT,
                    "%,d bytes for %,d pairs, %.1f each%s%s; on %s",
                    finding.bytes(),
                    task.operations(),
                    (double) finding.bytes() / task.operations(),
                    form,
                    trap,
                    server().description()));
        }

        private MemoryServer server() {
            return server.orElseThrow(() -> new IllegalStateException("the round was not prepared"));
        }

        @Override
        public void finish() {
            close();
        }

        @Override
        public void close() {
            server.ifPresent(MemoryServer::close);
            server = Optional.empty();
        }
    }
}
