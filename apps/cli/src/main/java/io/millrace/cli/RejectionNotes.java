// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.LoadEvent.Rejected;
import io.millrace.load.source.Row;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * What is said of rejected rows while a load runs: the first few by place and reason, then a count, so that a bad file of a
 * million rows does not bury its own report.
 */
final class RejectionNotes {

    private static final int NAMED = 5;

    private final boolean quiet;
    private final Optional<Path> rejectsFile;
    private volatile String source = "";
    private volatile long count;

    /** Notes of one load; none at all if {@code quiet}. */
    RejectionNotes(boolean quiet, Optional<Path> rejectsFile) {
        this.quiet = quiet;
        this.rejectsFile = rejectsFile;
    }

    void source(String name) {
        source = name;
    }

    /** What to say of this row; empty once enough have been named. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // events come one at a time
    Optional<String> note(Rejected rejected) {
        count++;
        if (quiet || count > NAMED) {
            return Optional.empty();
        }
        return Optional.of("rejected: " + place(rejected.row()) + ": "
                + rejected.rejection().reason().code() + ": "
                + rejected.rejection().message()
                + (rejected.key().isEmpty() ? "" : " (key " + CommandText.quoted(rejected.key()) + ")"));
    }

    /** What to say at the end; empty if every rejected row has been named. */
    Optional<String> summary() {
        if (quiet || count == 0 || (count <= NAMED && rejectsFile.isEmpty())) {
            return Optional.empty();
        }
        String more = count > NAMED ? String.format(Locale.ROOT, "%,d more rows were rejected. ", count - NAMED) : "";
        String where = rejectsFile
                .map(file -> "All rejected rows, with their reasons, are in " + file + ".")
                .orElse("--rejects FILE writes all of them, with their reasons, to a file.");
        return Optional.of(more + where);
    }

    private String place(Row row) {
        return row.line() > 0 ? source + ":" + row.line() : source + ", row " + row.number();
    }
}
