// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import java.util.Map;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.SupportsTruncate;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend;

/**
 * Builds a write from the options and the columns of a query. A streaming query in the output mode update writes its rows
 * like one in the mode append, because a row replaces the row of the same key.
 */
final class JobBuilder implements WriteBuilder, SupportsTruncate, SupportsStreamingUpdateAsAppend {

    private final LogicalWriteInfo info;
    private final Map<String, String> options;
    private boolean overwrite;

    /** @param options the options of the table and of the query */
    JobBuilder(LogicalWriteInfo info, Map<String, String> options) {
        this.info = info;
        this.options = options;
    }

    @Override
    public WriteBuilder truncate() {
        overwrite = true;
        return this;
    }

    @Override
    public Write build() {
        JobPlan plan = JobPlan.of(info.queryId(), WriteOptions.of(options), info.schema());
        return new JobWrite(plan, overwrite);
    }
}
