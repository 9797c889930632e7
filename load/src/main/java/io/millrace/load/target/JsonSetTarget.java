// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Column;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Each row is a document of the server's JSON type, written with {@code JSON.SET}. It replaces the document that the key
 * had before; a key of another type is unchanged, and the row is rejected.
 *
 * @param columns columns of the document
 */
public record JsonSetTarget(TargetOptions options, ColumnSelection columns) implements Target {

    /** Documents under {@code key} with all columns, without an expiry and without a text for NULL. */
    public static JsonSetTarget of(String key) {
        return new JsonSetTarget(TargetOptions.of(key), ColumnSelection.ALL);
    }

    /** This target with an expiry. */
    public JsonSetTarget withTtl(Duration ttl) {
        return new JsonSetTarget(options.withTtl(ttl), columns);
    }

    @Override
    public String type() {
        return "json";
    }

    @Override
    public String redisType() {
        return "ReJSON-RL";
    }

    @Override
    public Optional<String> moduleCommand() {
        return Optional.of(Commands.JSON_SET.name());
    }

    @Override
    public Optional<String> whyNotVerifiable() {
        return Optional.of("the server may return the numbers of a document in another form");
    }

    @Override
    public void check() {
        options.check();
        columns.check();
        if (options.onlyMissing()) {
            throw new PlanException("onlyMissing cannot be combined with JSON.SET: key=" + options.key()
                    + ". Write the documents as strings, or leave out onlyMissing.");
        }
    }

    @Override
    public RowMapping bind(List<Column> sourceColumns) {
        check();
        ColumnNames names = new ColumnNames(sourceColumns);
        return new ElementMapping(
                ElementForm.JSON,
                RowName.key(this, names),
                RowValue.of(this, Optional.empty(), columns, names),
                null,
                RowExpiry.of(this, names));
    }
}
