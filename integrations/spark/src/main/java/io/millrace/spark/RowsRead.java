// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import org.apache.spark.sql.connector.metric.CustomSumMetric;

/** The number of rows that the tasks have read, in the user interface of Spark. Spark creates this object by its name. */
public final class RowsRead extends CustomSumMetric {

    static final String NAME = "millraceRowsRead";

    /** Called by Spark. */
    public RowsRead() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "rows read";
    }
}
