// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import org.apache.spark.sql.connector.metric.CustomTaskMetric;

/** The current value of a metric of one task. */
record TaskMetric(String name, long value) implements CustomTaskMetric {}
