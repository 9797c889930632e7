// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * Checks loads with and without an expiry. The loader writes an expiry with scripts, whose calls the server counts in
 * another way, so only data and expiries are compared.
 */
record ExpiryCheck(RowData rows) {

    /** The hash with a field for each row: {@link #FIELD} and {@link #VALUE}. */
    static final String SHARED_KEY = Keyspace.PREFIX + "emails";

    static final String FIELD = "{id}";
    static final String VALUE = "email";

    private static final String EXPIRY = "expirySeconds";

    /** {@code details} with the expiry that the keys of the round must have. */
    static RoundDetails addTo(RoundDetails details, Optional<Duration> ttl) {
        return ttl.map(expiry -> details.withFigure(EXPIRY, (double) expiry.toSeconds()))
                .orElse(details);
    }

    /** Expects one hash with a field for each row. */
    ServerUse sharedHash() {
        return ServerUse.checkedBy((server, sample) -> {
            var complaints = operations(sample);
            long fields = server.control(SHARED_KEY).hlen(SHARED_KEY);
            if (fields != rows.rows()) {
                complaints.add("fields: expected=" + rows.rows() + ", found=" + fields);
            }
            for (long n : samples()) {
                var expected = RowData.values(n).get(RowData.COLUMNS.indexOf(VALUE));
                var found = server.control(SHARED_KEY).hget(SHARED_KEY, Long.toString(n));
                if (!Objects.equals(expected, found)) {
                    complaints.add("field " + n + ": expected=" + expected + ", found=" + found);
                }
            }
            complaints.addAll(expiry(server, sample, SHARED_KEY));
            return complaints;
        });
    }

    /** Expects one hash for each row. */
    ServerUse hashes() {
        return ServerUse.checkedBy((server, sample) -> {
            var complaints = operations(sample);
            complaints.addAll(rows.hashes().dataComplaints(server));
            for (long n : samples()) {
                complaints.addAll(expiry(server, sample, RowData.key(n)));
            }
            return complaints;
        });
    }

    private List<String> operations(Sample sample) {
        long expected = rows.rows() * sample.units();
        return sample.operations() == expected
                ? new ArrayList<>()
                : new ArrayList<>(List.of("rows: expected=" + expected + ", written=" + sample.operations()));
    }

    private long[] samples() {
        return LongStream.rangeClosed(0, 10)
                .map(tenth -> (rows.rows() - 1) * tenth / 10)
                .distinct()
                .toArray();
    }

    private static List<String> expiry(RedisServer server, Sample sample, String key) {
        double expected = sample.details().figures().getOrDefault(EXPIRY, 0.0);
        long millis = server.control(key).pttl(key);
        boolean isRight = expected == 0 ? millis == -1 : millis > 0 && millis <= expected * 1_000;
        return isRight ? List.of() : List.of(key + ": expiry expected s=" + expected + ", found ms=" + millis);
    }
}
