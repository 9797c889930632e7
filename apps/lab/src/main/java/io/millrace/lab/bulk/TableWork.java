// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.RedisServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A program of a few lines that reads a table and does something with each row, such as a write by a client library.
 *
 * @param source started in the JVM of the contender
 * @param opener opens what gets the rows
 */
record TableWork(RowSource source, Opener opener) implements Work {

    private static final String CHARACTERS_READ = "charactersRead";

    @FunctionalInterface
    interface Opener {
        RowSink open(WorkContext context);
    }

    /** Gets the rows of a table. Used by one thread. */
    interface RowSink extends AutoCloseable {

        /** Takes a row, whose values are in the order of {@link RowData#COLUMNS}. {@code values} is reused. */
        void accept(String[] values);

        /** Called after the last row of a unit. Returns when every row is written. */
        default void finish() {}

        default RoundDetails details() {
            return RoundDetails.NONE;
        }

        @Override
        void close();
    }

    /** Reads the rows and writes nothing. */
    static TableWork reading(RowSource source) {
        return new TableWork(source, context -> new Characters());
    }

    /** Whether the contender of {@code sample} only reads. */
    static boolean isReading(Sample sample) {
        return sample.details().figures().containsKey(CHARACTERS_READ);
    }

    /** The complaints about a contender that only reads. */
    static List<String> readingComplaints(RedisServer server, Sample sample, RowData rows) {
        var complaints = new ArrayList<String>();
        if (sample.operations() != rows.rows() * sample.units()) {
            complaints.add("rows: expected=" + rows.rows() * sample.units() + ", read=" + sample.operations());
        }
        long expected = rows.characters() * sample.units();
        double found = sample.details().figures().getOrDefault(CHARACTERS_READ, 0.0);
        if (found != expected) {
            complaints.add("characters: expected=" + expected + ", read=" + Math.round(found));
        }
        if (server.keys() != 0) {
            complaints.add("keys: expected=0, found=" + server.keys());
        }
        return complaints;
    }

    @Override
    public ReadyWork open(WorkContext context) throws IOException {
        source.prepare(context);
        return new Ready(source, new TableReader(source.location(context)), opener.open(context));
    }

    private record Ready(RowSource source, TableReader reader, RowSink sink) implements ReadyWork {

        @Override
        public long run() throws Exception {
            long rows = reader.read(sink::accept);
            sink.finish();
            return rows;
        }

        @Override
        public RoundDetails details() {
            return sink.details();
        }

        @Override
        public void close() throws IOException {
            try (sink) {
                source.release();
            }
        }
    }

    /** Counts the characters, so that no value can be left unread. */
    private static final class Characters implements RowSink {

        private long number;

        @Override
        public void accept(String[] values) {
            for (var value : values) {
                number += value.length();
            }
        }

        /** The characters since the last call. */
        @Override
        public RoundDetails details() {
            var details = RoundDetails.NONE.withFigure(CHARACTERS_READ, (double) number);
            number = 0;
            return details;
        }

        @Override
        public void close() {}
    }
}
