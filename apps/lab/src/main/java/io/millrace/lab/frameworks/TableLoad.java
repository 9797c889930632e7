// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.frameworks;

import io.millrace.lab.bulk.RowData;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.server.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/**
 * A load of a table of PostgreSQL, at the start of an application.
 *
 * @param isDocuments whether each row is a JSON document; otherwise a hash
 */
public record TableLoad(RowData rows, boolean isDocuments) {

    /** Figure: the seconds by which the load delays the start, from the first runner to the end of the last. */
    public static final String SECONDS = "loadSeconds";

    /** {@link #SECONDS}; for the loader without an application, the time of a unit. */
    static final Figure LOAD_SECONDS = sample -> sample.details().figures().containsKey(SECONDS)
            ? Figure.own(SECONDS).of(sample)
            : Figure.UNIT_SECONDS.of(sample);

    /** {@link #LOAD_SECONDS} of a thousand rows, in milliseconds: for loads of different numbers of rows. */
    static final Figure THOUSAND_ROWS_MILLIS = sample -> {
        OptionalDouble seconds = LOAD_SECONDS.of(sample);
        return seconds.isPresent()
                ? OptionalDouble.of(seconds.getAsDouble() * 1e6 * sample.units() / sample.operations())
                : OptionalDouble.empty();
    };

    /** The number of rows, and the data of some of them. The number of commands depends on the client. */
    List<String> complaints(RedisServer server, Sample sample) {
        var complaints = new ArrayList<String>();
        if (sample.operations() != rows.rows() * sample.units()) {
            complaints.add("rows: expected=" + rows.rows() * sample.units() + ", written=" + sample.operations());
        }
        complaints.addAll(rows.dataComplaints(server, isDocuments));
        return complaints;
    }
}
