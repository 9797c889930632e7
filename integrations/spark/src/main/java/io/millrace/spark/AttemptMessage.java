// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import org.apache.spark.sql.connector.write.WriterCommitMessage;

/**
 * The account of one attempt of a task, from its executor to the driver. Not a record, and without final fields: the
 * serializer Kryo, which many applications use for the results of tasks, cannot set the fields of a record.
 */
final class AttemptMessage implements WriterCommitMessage {

    private static final long serialVersionUID = 1L;

    private int partition;
    private int attempt;
    private String host;
    private String report;
    private String rejects;

    /**
     * Creates a message.
     *
     * @param attempt number of the attempt of the task, from 0
     * @param report the report of the load as JSON
     * @param rejects temporary file with the rejected rows; empty if there is none
     */
    AttemptMessage(int partition, int attempt, String host, String report, String rejects) {
        this.partition = partition;
        this.attempt = attempt;
        this.host = host;
        this.report = report;
        this.rejects = rejects;
    }

    int partition() {
        return partition;
    }

    int attempt() {
        return attempt;
    }

    String host() {
        return host;
    }

    String report() {
        return report;
    }

    String rejects() {
        return rejects;
    }
}
