// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkOptions;
import io.millrace.client.Outcome;
import io.millrace.client.RedisClient;
import io.millrace.load.LoadReport.Times;
import io.millrace.load.LoadReport.Verified;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import io.millrace.load.source.RowReader;
import io.millrace.load.target.Difference;
import io.millrace.load.target.RowMapping;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Reads the source, reads each row back from Redis in a pipeline, and compares values and expiry. After a load, the
 * source is read a second time.
 *
 * <p>A place is a key, or a key and a hash field. If several rows are written to the same place, only the last row must
 * match. So a row that differs is not yet a mismatch: its place becomes a suspect. If a later row of the same place
 * matches, the place is no longer a suspect. Rows of one key use one connection, so their replies arrive in the order
 * of the rows. If the server refuses a read-back for a time, the later read-backs of its key are sent again too. The
 * suspects that remain at the end are the mismatches.
 *
 * <p>A sample is chosen by place, not by row: it contains all rows of a place or none.
 */
final class Verifier {

    /**
     * Maximum number of suspects. With more suspects, the verification ends early. Suspects occupy about 60 MB at most.
     */
    static final int MAX_SUSPECTS = 200_000;

    private static final long MAX_SUSPECT_BYTES = 32L << 20;

    /**
     * Maximum number of commands in flight. Lower than the maximum for writing, because each reply contains a whole
     * row.
     */
    private static final int MAX_IN_FLIGHT = 2_048;

    private static final String WRONG_TYPE = "WRONGTYPE";

    /** Receives each row that the verification has read. */
    interface RowListener {

        /** Receives nothing: the rows were counted by the load. */
        RowListener NONE = (row, rejection) -> {};

        /**
         * Called for each row.
         *
         * @param rejection why the row cannot be compared; empty if it can
         */
        void read(Row row, Optional<Rejection> rejection);
    }

    /** The commands and the time of a verification. */
    record Cost(ReplaceableWriter.WriterTotals writers, Times time) {}

    private final LoadPlan plan;
    private final RedisClient client;
    private final KeySet exempt;
    private final CancelSignal stop;
    private final Recovery recovery;
    private final Supplier<Duration> age;
    private final RowListener rows;
    private final Suspects suspects = new Suspects(MAX_SUSPECTS, MAX_SUSPECT_BYTES);
    private final AtomicLong checked = new AtomicLong();
    private final AtomicLong mismatched = new AtomicLong();
    /** A separate mapping for replies, because {@link #mapping} holds the state of the row that is being sent. */
    private final RowMapping answerMapping;

    private final RowMapping mapping;
    private final RowReader reader;

    private Cost cost = new Cost(ReplaceableWriter.WriterTotals.NONE, new Times(0, 0, 0, 0));

    /**
     * A verification of {@code plan}.
     *
     * @param reader reads the source
     * @param exempt places of rows that the server rejected; these places are not compared
     * @param recovery the waits for the server
     * @param age the longest time since a row was written
     */
    Verifier(
            LoadPlan plan,
            RowReader reader,
            RedisClient client,
            KeySet exempt,
            CancelSignal stop,
            Recovery recovery,
            Supplier<Duration> age,
            RowListener rows) {
        this.plan = plan;
        this.reader = reader;
        this.client = client;
        this.exempt = exempt;
        this.stop = stop;
        this.recovery = recovery;
        this.age = age;
        this.rows = rows;
        this.mapping = bind();
        this.answerMapping = bind();
    }

    private RowMapping bind() {
        return plan.target().bind(reader.columns());
    }

    /** The sender of one connection. A read-back changes nothing, so it can be sent again after each kind of trouble. */
    private RowWriter readingBack() {
        return new RowWriter(true, new ReadBackMapping(mapping), new ReadBackMapping(bind()), null, recovery, null);
    }

    /** The result so far. Any thread. */
    LoadEvent.Verifying progress(double seconds) {
        return new LoadEvent.Verifying(
                checked.get(),
                mismatched.get(),
                seconds,
                ExpectedRows.share(reader.share(), checked.get(), plan.options().limit()));
    }

    /**
     * Compares rows until the source ends, the load is stopped, or there are too many suspects. Blocks.
     *
     * @return the counts of a complete verification; empty if the verification ended early. The rows compared until
     *     then prove nothing about the other rows
     */
    Optional<Verified> run() {
        LoadOptions options = plan.options();
        BulkOptions bulk = new BulkOptions(
                Math.min(MAX_IN_FLIGHT, options.inFlight()), options.inFlightBytes(), options.timeout());
        try (LoadConnections loadConnections =
                        new LoadConnections(client, options.connections(), bulk, this::compare, this::readingBack);
                CancelActions.Registration ignored = stop.onAbandon(loadConnections::abort)) {
            SampledTime time = new SampledTime(System::nanoTime, loadConnections::waitNanos);
            ReadLoop loop = new ReadLoop(reader, options.limit(), stop, time, suspects::overflowed);
            loop.run(
                    loadConnections.freeRow(),
                    "the source could not be read for the verification: ",
                    row -> readBack(row, loadConnections));
            loadConnections.finish();
            cost = new Cost(
                    loadConnections.totals(),
                    new Times(
                            time.sourceSeconds(),
                            time.mappingSeconds(),
                            loadConnections.waitNanos() / 1e9,
                            loadConnections.totals().traffic().socketNanos() / 1e9));
        }
        if (suspects.overflowed()) {
            // Not all rows were compared. A later row of a suspect may match, so the number of suspects is not the
            // number of mismatches.
            stop.stop("verification ended early: too many rows differ from Redis: readBack=" + checked.get()
                    + ", maximumDifferent=" + MAX_SUSPECTS);
        }
        return stop.isRaised() ? Optional.empty() : Optional.of(new Verified(checked.get(), mismatched.get()));
    }

    /** The commands and the time of {@link #run}. */
    Cost cost() {
        return cost;
    }

    /** A warning about places that differ so far, after a {@link #run} without a result; empty if there are none. */
    Optional<String> suspicion() {
        return suspects.size() == 0
                ? Optional.empty()
                : Optional.of("the verification is incomplete, so it names no difference: " + suspects.size()
                        + " keys or fields differ from the rows that were compared, and a row that was not compared may"
                        + " explain their values. Verify again, or verify fewer rows.");
    }

    /** Passes the places that differ to {@code receiver}. Call this method only if {@link #run} has returned a result. */
    void forEachDifference(Consumer<Suspects.Suspect> receiver) {
        suspects.forEach(receiver);
    }

    private Row readBack(Row row, LoadConnections loadConnections) {
        Optional<Rejection> rejection = row.isRejected() ? row.rejection() : mapping.prepare(row);
        rows.read(row, rejection);
        boolean included =
                rejection.isEmpty() && plan.options().verify().includes(mapping) && !exempt.contains(mapping);
        if (!included) {
            return row;
        }
        LoadConnection loadConnection = loadConnections.forKey(mapping.key(), mapping.keyLength());
        loadConnection.begin(row);
        loadConnection.end(row);
        return loadConnections.freeRow();
    }

    private void compare(Row row, Outcome outcome) {
        switch (outcome) {
            case Outcome.Ok ok -> compare(row, ok.reply());
            case Outcome.Failed failed -> {
                if (failed.error().code().equals(WRONG_TYPE)) {
                    compare(row, failed.error());
                } else {
                    // This error is no proof that the value in Redis differs from the row.
                    breakOff(failed.error().message());
                }
            }
            case Outcome.TimedOut ignored -> breakOff("no reply within " + timeoutMillis() + " ms");
            case Outcome.Refused ignored -> {
                if (Thread.currentThread().isInterrupted()) {
                    stop.interrupt();
                } else {
                    breakOff("the server accepted no more commands for " + timeoutMillis() + " ms");
                }
            }
            case Outcome.Lost lost -> breakOff(lost.cause());
        }
    }

    private void compare(Row row, Reply reply) {
        checked.lazySet(checked.getPlain() + 1);
        Duration now = age.get();
        boolean matches = answerMapping.matches(row, reply, now);
        if (!matches || suspects.size() > 0) {
            if (matches) {
                answerMapping.prepare(row);
                suspects.remove(answerMapping);
            } else {
                Difference difference = answerMapping.difference(row, reply, now);
                answerMapping.prepare(row);
                suspects.put(answerMapping, difference);
            }
            mismatched.lazySet(suspects.size() + (suspects.overflowed() ? 1 : 0));
        }
    }

    private void breakOff(String why) {
        stop.stop("verification ended early: " + why);
    }

    private long timeoutMillis() {
        return plan.options().timeout().toMillis();
    }
}
