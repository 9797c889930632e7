// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.StructType;

/**
 * A table that can only be written. If SQL has named its columns, Spark matches the columns of a query to these columns and
 * casts the values. A table without columns accepts rows of any columns.
 */
final class WriteTable implements SupportsWrite {

    /** Spark marks the options of {@code CREATE TABLE} with this prefix, among other properties. */
    private static final String OPTION = "option.";

    private final StructType schema;
    private final Map<String, String> options;

    /**
     * Creates a table.
     *
     * @param properties properties of a table of SQL, with its options; the options of another write come later
     */
    WriteTable(StructType schema, Map<String, String> properties) {
        this.schema = schema;
        this.options = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        properties.forEach((name, value) -> {
            if (name.startsWith(OPTION)) {
                options.put(name.substring(OPTION.length()), value);
            }
        });
    }

    @Override
    public String name() {
        return "millrace";
    }

    @Override
    @SuppressWarnings("deprecation") // The method that replaces this one calls this one by default.
    public StructType schema() {
        return schema;
    }

    @Override
    public Set<TableCapability> capabilities() {
        Set<TableCapability> capabilities =
                EnumSet.of(TableCapability.BATCH_WRITE, TableCapability.STREAMING_WRITE, TableCapability.TRUNCATE);
        if (schema.isEmpty()) {
            capabilities.add(TableCapability.ACCEPT_ANY_SCHEMA);
        }
        return capabilities;
    }

    @Override
    public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
        Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.putAll(options);
        all.putAll(info.options().asCaseSensitiveMap());
        return new JobBuilder(info, all);
    }
}
