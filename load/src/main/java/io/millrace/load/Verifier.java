// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.Outcome;
import io.millrace.client.RedisClient;
import io.millrace.load.LoadReport.Verified;
import io.millrace.load.source.Row;
import io.millrace.load.source.RowReader;
import io.millrace.load.target.RowMapping;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reads the source a second time and compares each row with what Redis has for it: values and expiry, pipelined.
 *
 * <p>Of rows that are written to the same place the last one counts. So a row that differs only makes its place suspect; a
 * later row of that place that is as it should be clears it. Rows of one key take one connection, so their answers come in
 * the order of the rows. What is suspect at the end differs.
 *
 * <p>A sample is drawn by the place, not by the row: all rows of a place are in it, or none.
 */
final class Verifier {

    /** More places than this in doubt, and a person wants to know now rather than exactly; about 60 MB at most. */
    static final int MOST_SUSPECTS = 200_000;

    private static final long MOST_SUSPECT_BYTES = 32L << 20;

    /** Replies carry whole rows here, so fewer are allowed in flight than when writing. */
    private static final int MOST_IN_FLIGHT = 2_048;

    private static final String WRONG_TYPE = "WRONGTYPE";

    private final LoadPlan plan;
    private final RedisClient client;
    private final PlaceSet exempt;
    private final StopSign stop;
    private final Stopwatch sinceLoad;
    private final PlaceSet suspects = new PlaceSet(MOST_SUSPECTS, MOST_SUSPECT_BYTES);
    private final AtomicLong checked = new AtomicLong();
    private final AtomicLong mismatched = new AtomicLong();
    /** For the answers, because the other is busy with the row that is being asked for. */
    private final RowMapping answerMapping;

    private final RowMapping mapping;
    private final RowReader reader;

    /**
     * A verification of {@code plan}.
     *
     * @param reader on the source, opened a second time
     * @param exempt places of rows that were rejected, which need not be found
     * @param sinceLoad running since before the first row was written
     */
    Verifier(LoadPlan plan, RowReader reader, RedisClient client, PlaceSet exempt, StopSign stop, Stopwatch sinceLoad) {
        this.plan = plan;
        this.reader = reader;
        this.client = client;
        this.exempt = exempt;
        this.stop = stop;
        this.sinceLoad = sinceLoad;
        this.mapping = plan.target().bind(reader.columns());
        this.answerMapping = plan.target().bind(reader.columns());
    }

    /** What has been found so far; from any thread. */
    LoadEvent.Verifying progress(double seconds) {
        return new LoadEvent.Verifying(
                checked.get(),
                mismatched.get(),
                seconds,
                Expectation.share(reader.share(), checked.get(), plan.options().limit()));
    }

    /**
     * Compares until the end of the source, the stop sign, or too many suspects. Blocks.
     *
     * @return empty if it was stopped: what was compared by then says nothing of the rest
     */
    Optional<Verified> run() {
        LoadOptions options = plan.options();
        BulkOptions bulk = new BulkOptions(
                Math.min(MOST_IN_FLIGHT, options.inFlight()), options.inFlightBytes(), options.timeout());
        try (Lanes lanes = new Lanes(client, options.connections(), bulk, this::compare);
                Alarm.Watch ignored = stop.onAbandon(lanes::abort)) {
            SampledTime time = new SampledTime(System::nanoTime, lanes::windowNanos);
            RowLoop loop = new RowLoop(reader, options.limit(), stop, time, suspects::overflowed);
            loop.run(lanes.freeRow(), "the source could not be read a second time: ", row -> ask(row, lanes));
            lanes.finish();
        }
        if (suspects.overflowed()) {
            // A later row of the same place may still clear a suspect, so this is no count of differences.
            stop.stop("verification gave up: of " + checked.get() + " rows read back, " + MOST_SUSPECTS
                    + " and more were not in Redis as they are in the source, more than can be kept in mind until the"
                    + " last row of each key has been seen");
        }
        return stop.isUp() ? Optional.empty() : Optional.of(new Verified(checked.get(), mismatched.get()));
    }

    private Row ask(Row row, Lanes lanes) {
        boolean wanted = !row.isRejected()
                && mapping.prepare(row).isEmpty()
                && plan.options().verify().includes(mapping)
                && !exempt.contains(mapping);
        if (!wanted) {
            return row;
        }
        Lane lane = lanes.of(mapping.key(), mapping.keyLength());
        BulkWriter command = lane.begin(mapping.readBack());
        mapping.writeReadBack(row, command);
        lane.end(row);
        return lanes.freeRow();
    }

    private void compare(Row row, Outcome outcome) {
        switch (outcome) {
            case Outcome.Ok ok -> compare(row, ok.reply());
            case Outcome.Failed failed -> {
                if (failed.error().code().equals(WRONG_TYPE)) {
                    compare(row, failed.error());
                } else {
                    // It does not say what is there, so it says nothing of the row.
                    breakOff(failed.error().message());
                }
            }
            case Outcome.TimedOut ignored -> breakOff("no reply within " + patience() + " ms");
            case Outcome.Refused ignored -> {
                if (Thread.currentThread().isInterrupted()) {
                    stop.interrupt();
                } else {
                    breakOff("the server took no more commands for " + patience() + " ms");
                }
            }
            case Outcome.Lost lost -> breakOff(lost.cause());
        }
    }

    private void compare(Row row, Reply reply) {
        checked.lazySet(checked.getPlain() + 1);
        boolean matches = answerMapping.matches(row, reply, Duration.ofNanos(sinceLoad.nanos()));
        if (!matches || suspects.size() > 0) {
            answerMapping.prepare(row);
            if (matches) {
                suspects.remove(answerMapping);
            } else {
                suspects.add(answerMapping);
            }
            mismatched.lazySet(suspects.size() + (suspects.overflowed() ? 1 : 0));
        }
    }

    private void breakOff(String why) {
        stop.stop("verification broke off: " + why);
    }

    private long patience() {
        return plan.options().timeout().toMillis();
    }
}
