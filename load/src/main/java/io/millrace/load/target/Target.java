// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.PlanException;
import io.millrace.load.source.Column;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What rows become: the type, the key, the values and their expiry, as the user wrote them and before any column is known.
 *
 * <p>A template is text with column names in braces; a brace that is meant as such is doubled. A row whose key or field name
 * would contain a NULL or empty column is rejected. A NULL in a value makes the value NULL; a row whose values are all NULL is
 * rejected.
 *
 * @param key template over columns, such as {@code customer:{id}}; only with {@code field} may it be the same for all rows
 * @param value column, or template if it has a brace, of a string's value, or of a hash field's value with {@code field}
 * @param field template of a field's name: each row is then one field of the hash {@code key}, and its value is {@code value}
 *     or, without one, the row as a JSON document
 * @param fields the columns to write, in this order; empty means all, those of the key included
 * @param exclude columns not to write
 * @param ttl expiry set in the same step as the write, of the whole key; at least a millisecond
 * @param nullText what NULL is written as, in a value but never in a key; empty means that NULL is left out
 * @param replaceRow whether a hash has exactly this row's fields afterwards, and no other expiry than {@code ttl}, whatever the
 *     key held before; strings are always replaced
 * @param bucket strings only: each is packed as a field into a hash that it shares with others, instead of having a key of its own
 */
public record Target(
        TargetType type,
        String key,
        Optional<String> value,
        Optional<String> field,
        List<String> fields,
        List<String> exclude,
        Optional<Duration> ttl,
        Optional<String> nullText,
        boolean replaceRow,
        Optional<Bucket> bucket) {

    /** A target of {@code type} under {@code key}, everything else at its default. */
    public static Target of(TargetType type, String key) {
        return new Target(
                type,
                key,
                Optional.empty(),
                Optional.empty(),
                List.of(),
                List.of(),
                Optional.empty(),
                Optional.empty(),
                false,
                Optional.empty());
    }

    public Target {
        fields = List.copyOf(fields);
        exclude = List.copyOf(exclude);
    }

    /** This target with {@code column}, or template if it has a brace, as value. */
    public Target withValue(String column) {
        return new Target(type, key, Optional.of(column), field, fields, exclude, ttl, nullText, replaceRow, bucket);
    }

    /** This target with one field per row, named by {@code template}. */
    public Target withField(String template) {
        return new Target(type, key, value, Optional.of(template), fields, exclude, ttl, nullText, replaceRow, bucket);
    }

    /** This target with only {@code columns} written. */
    public Target withFields(String... columns) {
        return new Target(type, key, value, field, List.of(columns), exclude, ttl, nullText, replaceRow, bucket);
    }

    /** This target with {@code columns} not written. */
    public Target withExclude(String... columns) {
        return new Target(type, key, value, field, fields, List.of(columns), ttl, nullText, replaceRow, bucket);
    }

    /** This target with {@code newTtl} as expiry. */
    public Target withTtl(Duration newTtl) {
        return new Target(type, key, value, field, fields, exclude, Optional.of(newTtl), nullText, replaceRow, bucket);
    }

    /** This target with {@code text} written for NULL. */
    public Target withNullText(String text) {
        return new Target(type, key, value, field, fields, exclude, ttl, Optional.of(text), replaceRow, bucket);
    }

    /** This target with what was under the key replaced. */
    public Target withReplaceRow() {
        return new Target(type, key, value, field, fields, exclude, ttl, nullText, true, bucket);
    }

    /** This target with its strings packed into hashes. */
    public Target withBucket(Bucket newBucket) {
        return new Target(type, key, value, field, fields, exclude, ttl, nullText, replaceRow, Optional.of(newBucket));
    }

    /**
     * Looks for parts that contradict each other, as far as that can be told without columns; {@link #bind} does so too.
     *
     * @throws PlanException if there are any
     */
    public void check() {
        TargetRules.check(this);
    }

    /**
     * The mapping for rows of {@code columns}; a new one for each thread.
     *
     * @throws PlanException if this target contradicts itself, or names a column that is not there or is there twice
     */
    public RowMapping bind(List<Column> columns) {
        check();
        ColumnNames names = new ColumnNames(columns);
        return switch (type) {
            case STRING ->
                bucket.<RowMapping>map(size -> new FieldMapping(this, new PackedField(this, size, names), names))
                        .orElseGet(() -> new StringMapping(
                                this, new TemplateValue(value.orElseThrow(), nullText, names), names));
            case HASH ->
                field.<RowMapping>map(template -> new FieldMapping(this, new NamedField(this, template, names), names))
                        .orElseGet(() -> new HashMapping(this, names));
            case JSON -> new StringMapping(this, new JsonDocument(new WrittenColumns(this, names), names), names);
        };
    }
}
