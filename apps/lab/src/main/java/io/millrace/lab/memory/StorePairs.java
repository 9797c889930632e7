// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.memory;

import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.Keyspace;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.LongStream;

/** Writes pairs {@code id -> id} in one layout, reads all pairs back, and then reads the memory of the server. */
record StorePairs(PairLayout layout, long pairs, PairWriter writer) implements Work {

    static final String BYTES_PER_PAIR = "bytes per pair";

    @Override
    public ReadyWork open(WorkContext context) {
        return new Ready(this, context);
    }

    private static final class Ready implements ReadyWork {

        private static final int BATCH = 1_000;

        private final PairLayout layout;
        private final long pairs;
        private final PairWriter writer;
        private final WorkContext context;

        /** Present from {@link #fill} to {@link #details}. */
        private Optional<MemoryServer> server = Optional.empty();

        private long emptyBytes;

        Ready(StorePairs work, WorkContext context) {
            this.layout = work.layout;
            this.pairs = work.pairs;
            this.writer = work.writer;
            this.context = context;
        }

        /** The server is empty. */
        @Override
        public void fill() {
            close(); // the server of a round that failed
            var opened = MemoryServer.open(context.direct(), pairs);
            server = Optional.of(opened);
            if (layout.raisesLimit) {
                opened.raiseLimit(layout.pairsPerHash);
            }
            emptyBytes = opened.usedBytes();
        }

        @Override
        public long run() {
            return writer.write(context.target(), layout, pairs);
        }

        /**
         * Reads all pairs before the memory: the table of keys may still grow, and then takes the memory of two tables.
         * Each lookup moves a part of the table, so many lookups finish the growth.
         */
        @Override
        public RoundDetails details() {
            var complaints = complaints();
            long bytes = server().usedBytes() - emptyBytes;
            var details = RoundDetails.NONE
                    .withComplaints(complaints)
                    .withFigure(BYTES_PER_PAIR, (double) bytes / pairs)
                    .withRemark(remark(bytes));
            close();
            return details;
        }

        private List<String> complaints() {
            var complaints = new ArrayList<String>();
            long right = layout.isPacked() ? rightFields() : rightStrings();
            if (right != pairs) {
                complaints.add("pairs: expected=" + pairs + ", right=" + right);
            }
            if (layout.isPacked()) {
                boolean mustBeCompact = Math.min(pairs, layout.pairsPerHash) <= server().limit();
                if (mustBeCompact != encoding().matches("listpack|ziplist")) {
                    complaints.add("encoding of a hash: pairsPerHash=" + layout.pairsPerHash + ", limit="
                            + server().limit() + ", encoding=" + encoding());
                }
            }
            return complaints;
        }

        private long rightStrings() {
            long right = 0;
            for (long from = 0; from < pairs; from += BATCH) {
                var expected = LongStream.range(from, Math.min(from + BATCH, pairs))
                        .mapToObj(Long::toString)
                        .toList();
                var keys = expected.stream().map(id -> Keyspace.PREFIX + id).toArray(String[]::new);
                var found = server().control().mget(keys);
                for (int i = 0; i < expected.size(); i++) {
                    right += expected.get(i).equals(found.get(i)) ? 1 : 0;
                }
            }
            return right;
        }

        private long rightFields() {
            long right = 0;
            for (long from = 0; from < pairs; from += layout.pairsPerHash) {
                var found = server().control().hgetAll(layout.hash(from));
                for (long id = from; id < Math.min(from + layout.pairsPerHash, pairs); id++) {
                    right += Long.toString(id).equals(found.get(layout.field(id))) ? 1 : 0;
                }
            }
            return right;
        }

        private String encoding() {
            return String.valueOf(server().control().objectEncoding(layout.hash(0)));
        }

        private String remark(long bytes) {
            String form =
                    layout.isPacked() ? ", " + encoding() + ", " + server().limitName() + "=" + server().limit() : "";
            String trap =
                    layout.pairsPerHash > server().limit() ? ": THE TRAP, hashes above the limit are not compact" : "";
            return String.format(
                    Locale.ROOT,
                    "%,d bytes for %,d pairs, %.1f each%s%s; on %s",
                    bytes,
                    pairs,
                    (double) bytes / pairs,
                    form,
                    trap,
                    server().description());
        }

        private MemoryServer server() {
            return server.orElseThrow(() -> new IllegalStateException("the round was not prepared"));
        }

        @Override
        public void close() {
            server.ifPresent(MemoryServer::close);
            server = Optional.empty();
        }
    }
}
