// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import org.apache.spark.sql.connector.metric.CustomSumMetric;

/** The number of rows that Redis has acknowledged, in the user interface of Spark. Spark creates this object by its name. */
public final class RowsWritten extends CustomSumMetric {

    static final String NAME = "millraceRowsWritten";

    /** Called by Spark. */
    public RowsWritten() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "rows written to Redis";
    }
}
