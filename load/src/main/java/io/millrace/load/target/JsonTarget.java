// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Column;
import java.time.Duration;
import java.util.List;

/**
 * Each row is a string that holds the row as a JSON document. SET replaces the value that the key had before, of any
 * type and with its expiry.
 *
 * @param columns columns of the document
 */
public record JsonTarget(TargetOptions options, ColumnSelection columns) implements Target {

    /** JSON documents under {@code key} with all columns, without an expiry and without a text for NULL. */
    public static JsonTarget of(String key) {
        return new JsonTarget(TargetOptions.of(key), ColumnSelection.ALL);
    }

    /** This target with an expiry. */
    public JsonTarget withTtl(Duration ttl) {
        return new JsonTarget(options.withTtl(ttl), columns);
    }

    /** This target with a text for NULL. */
    public JsonTarget withNullText(String text) {
        return new JsonTarget(options.withNullText(text), columns);
    }

    /** This target with the JSON value {@code null} for NULL. */
    public JsonTarget withJsonNull() {
        return new JsonTarget(options.withJsonNull(), columns);
    }

    /** This target with only {@code names} written. */
    public JsonTarget withFields(String... names) {
        return new JsonTarget(options, columns.withFields(names));
    }

    /** This target with {@code names} not written. */
    public JsonTarget withExclude(String... names) {
        return new JsonTarget(options, columns.withExclude(names));
    }

    @Override
    public String type() {
        return "json";
    }

    @Override
    public String redisType() {
        return "string";
    }

    @Override
    public void check() {
        options.check();
        columns.check();
    }

    @Override
    public RowMapping bind(List<Column> sourceColumns) {
        check();
        ColumnNames names = new ColumnNames(sourceColumns);
        return new StringMapping(this, new JsonDocument(new SelectedColumns(this, columns, names), names), names);
    }
}
