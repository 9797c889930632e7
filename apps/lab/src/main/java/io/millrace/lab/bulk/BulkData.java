// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.client.BulkWriter;
import io.millrace.client.Outcome;
import io.millrace.lab.experiment.ServerUse;

/** Commands for a bulk writer. Each unit of work writes the same commands. */
interface BulkData {

    /** Number of commands in one unit. */
    long operations();

    /** Submits the commands of one unit. Command n, from 0, has the tag n. */
    void write(BulkWriter writer);

    /** The keys that the commands need on the server, and the check of the keys after the commands. */
    ServerUse server();

    /**
     * Looks at the outcome of a command, for commands that read.
     *
     * @throws io.millrace.lab.server.LabException if the reply is wrong
     */
    default void check(long tag, Outcome outcome) {}
}
