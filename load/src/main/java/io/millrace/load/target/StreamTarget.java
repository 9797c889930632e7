// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Column;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Each row is appended to a stream, as an entry with one field per column. The server chooses the ids. Rows of one key
 * are appended in their order. A repeated load appends the rows again.
 *
 * @param columns columns of the entry
 */
public record StreamTarget(TargetOptions options, ColumnSelection columns) implements Target {

    /** Entries with all columns, under {@code key}. The key may be the same for all rows. */
    public static StreamTarget of(String key) {
        return new StreamTarget(TargetOptions.of(key), ColumnSelection.ALL);
    }

    /** This target with an expiry of the whole key. */
    public StreamTarget withTtl(Duration ttl) {
        return new StreamTarget(options.withTtl(ttl), columns);
    }

    /** This target with only {@code names} written. */
    public StreamTarget withFields(String... names) {
        return new StreamTarget(options, columns.withFields(names));
    }

    @Override
    public String type() {
        return "stream";
    }

    @Override
    public Optional<String> whyNotVerifiable() {
        return Optional.of("the server chooses the ids of a stream, so the entry of a row is unknown");
    }

    @Override
    public void check() {
        options.checkSharedKey(type());
        columns.check();
    }

    @Override
    public RowMapping bind(List<Column> sourceColumns) {
        check();
        return new StreamMapping(this, new ColumnNames(sourceColumns));
    }
}
