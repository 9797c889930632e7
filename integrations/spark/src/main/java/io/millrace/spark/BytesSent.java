// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import org.apache.spark.sql.connector.metric.CustomSumMetric;

/** The number of bytes that the tasks have sent to Redis, in the user interface of Spark. Spark creates this object by its name. */
public final class BytesSent extends CustomSumMetric {

    static final String NAME = "millraceBytesSent";

    /** Called by Spark. */
    public BytesSent() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "bytes sent to Redis";
    }
}
