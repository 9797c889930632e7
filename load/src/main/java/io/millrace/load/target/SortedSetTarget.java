// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Column;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Each row is a member of a sorted set that the row shares with other rows. If a member is written again, its last score
 * stays.
 *
 * @param score column of the score: a decimal number, {@code inf} or {@code -inf}
 * @param value column of the member, or a template if the text contains a brace; empty if the member is the row as a
 *     JSON document
 * @param columns columns of the JSON document; only without {@code value}
 */
public record SortedSetTarget(TargetOptions options, String score, Optional<String> value, ColumnSelection columns)
        implements Target {

    /** The rows as JSON documents, under {@code key}. The key may be the same for all rows. */
    public static SortedSetTarget of(String key, String score) {
        return new SortedSetTarget(TargetOptions.of(key), score, Optional.empty(), ColumnSelection.ALL);
    }

    /** This target with an expiry of the whole key. */
    public SortedSetTarget withTtl(Duration ttl) {
        return new SortedSetTarget(options.withTtl(ttl), score, value, columns);
    }

    /** This target with {@code column} as member, or a template if the text contains a brace. */
    public SortedSetTarget withValue(String column) {
        return new SortedSetTarget(options, score, Optional.of(column), columns);
    }

    @Override
    public String type() {
        return "zset";
    }

    @Override
    public String whatVerificationLeavesOut() {
        return "keys and members";
    }

    @Override
    public void check() {
        options.checkSharedKey(type());
        RowValue.check(this, value, columns);
    }

    @Override
    public RowMapping bind(List<Column> sourceColumns) {
        check();
        ColumnNames names = new ColumnNames(sourceColumns);
        return new ElementMapping(
                ElementForm.SORTED_SET,
                RowName.sharedKey(this, names),
                RowValue.of(this, value, columns, names),
                new ScoreColumn(names.indexOf(score, "score=" + score), score),
                RowExpiry.of(this, names));
    }
}
