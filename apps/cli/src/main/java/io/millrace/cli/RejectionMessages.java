// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.LoadEvent.Differed;
import io.millrace.load.LoadEvent.Rejected;
import io.millrace.load.source.Row;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * Creates the messages about the rejected rows of a load, and about the differences that a verification finds. Each of the first {@value #NAMED} rejected rows has a message
 * with its position in the source and the reason of its rejection. Later rejected rows are only counted, so that the
 * messages do not hide the report.
 */
final class RejectionMessages {

    private static final int NAMED = 5;

    private final boolean quiet;
    private final Optional<Path> rejectsFile;
    private volatile String source = "";
    private volatile long count;
    private volatile long differences;

    /** Prepares the messages of one load. If {@code quiet} is true, there are no messages. */
    RejectionMessages(boolean quiet, Optional<Path> rejectsFile) {
        this.quiet = quiet;
        this.rejectsFile = rejectsFile;
    }

    void source(String name) {
        source = name;
    }

    /** The message for one row. Empty after the first {@value #NAMED} rows. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // events arrive one at a time
    Optional<String> message(Rejected rejected) {
        count++;
        if (quiet || count > NAMED) {
            return Optional.empty();
        }
        return Optional.of("rejected: " + position(rejected.row()) + ": "
                + rejected.rejection().reason().code() + ": "
                + rejected.rejection().message()
                + (rejected.key().isEmpty() ? "" : " (key " + RedisCliFormatter.quoted(rejected.key()) + ")"));
    }

    /** The message for one difference. Empty after the first {@value #NAMED} differences. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // events arrive one at a time
    Optional<String> message(Differed differed) {
        differences++;
        return quiet || differences > NAMED
                ? Optional.empty()
                : Optional.of(DifferenceText.of(differed.key(), differed.difference()));
    }

    /** The message at the end of the load. Empty if every rejected row has been named and there is no rejects file. */
    Optional<String> summary() {
        if (quiet || count == 0 || (count <= NAMED && rejectsFile.isEmpty())) {
            return Optional.empty();
        }
        String more = count > NAMED ? String.format(Locale.ROOT, "%,d more rows were rejected. ", count - NAMED) : "";
        String where = rejectsFile
                .map(file -> "All rejected rows, with their reasons, are in " + file + ".")
                .orElse("--rejects FILE writes all rejected rows, with their reasons, to a file.");
        return Optional.of(more + where);
    }

    private String position(Row row) {
        String place = row.file().isEmpty() ? source : row.file();
        return row.line() > 0 ? place + ":" + row.line() : place + ", row " + row.number();
    }
}
