// SPDX-License-Identifier: Apache-2.0

/**
 * Writes DataFrames of Apache Spark into Redis: {@code df.write().format("millrace")}. {@link
 * io.millrace.spark.LoadReports} has the reports of the jobs on the driver.
 */
@NullMarked
package io.millrace.spark;

import org.jspecify.annotations.NullMarked;
