// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.Outcome;
import io.millrace.client.RedisClient;
import io.millrace.load.LoadReport.Verified;
import io.millrace.load.source.Row;
import io.millrace.load.source.RowReader;
import io.millrace.load.source.SourceException;
import io.millrace.load.target.RowMapping;
import io.millrace.resp.Reply;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
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

    /** More places than this in doubt, and a person wants to know now rather than exactly; about 40 MB. */
    private static final int MOST_SUSPECTS = 200_000;

    /** Replies carry whole rows here, so fewer are allowed in flight than when writing. */
    private static final int MOST_IN_FLIGHT = 2_048;

    private final LoadPlan plan;
    private final RedisClient client;
    private final Set<ByteBuffer> exempt;
    private final StopSign stop;
    private final Set<ByteBuffer> suspects = new HashSet<>();
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
     */
    Verifier(LoadPlan plan, RowReader reader, RedisClient client, Set<ByteBuffer> exempt, StopSign stop) {
        this.plan = plan;
        this.reader = reader;
        this.client = client;
        this.exempt = exempt;
        this.stop = stop;
        this.mapping = plan.target().bind(reader.columns());
        this.answerMapping = plan.target().bind(reader.columns());
    }

    /** What has been found so far; from any thread. */
    Verified soFar() {
        return new Verified(checked.get(), mismatched.get());
    }

    /** Compares until the end of the source, the stop sign, or too many suspects. Blocks. */
    Verified run() {
        LoadOptions options = plan.options();
        BulkOptions bulk = new BulkOptions(
                Math.min(MOST_IN_FLIGHT, options.inFlight()), options.inFlightBytes(), options.timeout());
        try (Lanes lanes = new Lanes(client, options.connections(), bulk, this::compare)) {
            long limit = options.limit().orElse(Long.MAX_VALUE);
            Row row = lanes.freeRow();
            for (long read = 0; read < limit && !stop.isUp() && reader.next(row); read++) {
                if (!row.isRejected()
                        && mapping.prepare(row).isEmpty()
                        && isWanted(options.verify().share())) {
                    Lane lane = lanes.of(mapping.key(), mapping.keyLength());
                    BulkWriter command = lane.begin(mapping.readBack());
                    mapping.writeReadBack(row, command);
                    lane.end(row);
                    row = lanes.freeRow();
                }
                if (suspects.size() > MOST_SUSPECTS) {
                    stop.stop("verification gave up: more than " + MOST_SUSPECTS + " keys differ");
                }
            }
            lanes.finish();
        } catch (SourceException e) {
            stop.stop("the source could not be read a second time: " + e.getMessage());
        }
        return soFar();
    }

    private boolean isWanted(double share) {
        if (!exempt.isEmpty() && exempt.contains(ByteBuffer.wrap(mapping.key(), 0, mapping.placeLength()))) {
            return false;
        }
        return share >= 1 || (Lanes.hash(mapping.key(), mapping.placeLength()) & 0xffffffffL) < share * 0x1p32;
    }

    private void compare(Row row, Outcome outcome) {
        switch (outcome) {
            case Outcome.Ok ok -> compare(row, ok.reply());
            case Outcome.Failed failed -> compare(row, failed.error());
            case Outcome.TimedOut ignored -> stop.stop("verification broke off: no reply in time");
            case Outcome.Refused ignored -> stop.stop("verification broke off: the server takes no more commands");
            case Outcome.Lost lost -> stop.stop("verification broke off: " + lost.cause());
        }
    }

    private void compare(Row row, Reply reply) {
        checked.lazySet(checked.getPlain() + 1);
        if (answerMapping.matches(row, reply)) {
            if (!suspects.isEmpty()) {
                suspects.remove(placeOf(row));
            }
        } else {
            suspects.add(placeOf(row));
        }
        mismatched.lazySet(suspects.size());
    }

    private ByteBuffer placeOf(Row row) {
        answerMapping.prepare(row);
        return ByteBuffer.wrap(Arrays.copyOf(answerMapping.key(), answerMapping.placeLength()));
    }
}
