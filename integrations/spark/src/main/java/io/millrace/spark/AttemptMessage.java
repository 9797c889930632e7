// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import org.apache.spark.sql.connector.write.WriterCommitMessage;

/**
 * The account of one attempt of a task, from its executor to the driver.
 *
 * @param attempt number of the attempt of the task, from 0
 * @param report the report of the load as JSON
 * @param rejects temporary file with the rejected rows; empty if there is none
 */
record AttemptMessage(int partition, int attempt, String host, String report, String rejects)
        implements WriterCommitMessage {}
