// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import org.apache.spark.sql.connector.metric.CustomSumMetric;

/** The number of rejected rows, in the user interface of Spark. Spark creates this object by its name. */
public final class RowsRejected extends CustomSumMetric {

    static final String NAME = "millraceRowsRejected";

    /** Called by Spark. */
    public RowsRejected() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "rows rejected";
    }
}
