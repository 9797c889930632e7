// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.source.JdbcSource;
import io.millrace.load.source.RowSource;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The value of {@code --partition}: a column, such as {@code id}, or a column with values, such as {@code id:1..1000}. */
record PartitionText(String column, Optional<Values> values) {

    /** The smallest and the largest value that divide the ranges. */
    record Values(long smallest, long largest) {}

    private static final Pattern WITH_VALUES = Pattern.compile("(.+):(-?\\d{1,18})\\.\\.(-?\\d{1,18})");

    /**
     * Parses {@code text}.
     *
     * @throws IllegalArgumentException if the column is missing, or if the smallest value is above the largest
     */
    static PartitionText parse(String text) {
        Matcher matcher = WITH_VALUES.matcher(text);
        if (matcher.matches()) {
            Values values = new Values(Long.parseLong(matcher.group(2)), Long.parseLong(matcher.group(3)));
            if (values.smallest > values.largest) {
                throw new IllegalArgumentException("'" + text + "' has a smallest value above the largest. Write "
                        + matcher.group(1) + ":" + values.largest + ".." + values.smallest + ".");
            }
            return new PartitionText(matcher.group(1), Optional.of(values));
        }
        if (text.isBlank() || text.contains("..")) {
            throw new IllegalArgumentException("'" + text + "' is not a column. Write id or id:1..1000000.");
        }
        return new PartitionText(text, Optional.empty());
    }

    /** The rows of {@code source}, read by {@code readers} connections. */
    RowSource partitioned(JdbcSource source, int readers) {
        return values.map(range -> source.partitioned(column, range.smallest, range.largest, readers))
                .orElseGet(() -> source.partitioned(column, readers));
    }
}
