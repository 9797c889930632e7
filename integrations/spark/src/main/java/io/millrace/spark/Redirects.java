// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import org.apache.spark.sql.connector.metric.CustomSumMetric;

/**
 * The number of commands that the nodes of a cluster have redirected, in the user interface of Spark. Spark creates this object
 * by its name.
 */
public final class Redirects extends CustomSumMetric {

    static final String NAME = "millraceRedirects";

    /** Called by Spark. */
    public Redirects() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "commands redirected by a cluster";
    }
}
