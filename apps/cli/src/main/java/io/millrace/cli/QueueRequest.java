// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.ClientOptions;
import io.millrace.queue.QueuePart;
import java.util.List;
import java.util.Optional;

/**
 * The checked arguments of {@code millrace queue}.
 *
 * @param limit the maximum number of jobs, as typed
 * @param id the only job to redrive
 * @param part the part to purge
 * @param warnings messages for the user
 */
record QueueRequest(
        QueueAction action,
        String queue,
        ClientOptions redis,
        Optional<Integer> limit,
        Optional<String> id,
        Optional<QueuePart> part,
        boolean json,
        List<String> warnings) {

    /**
     * Checks {@code typed}.
     *
     * @throws UsageException if an argument is missing, or options contradict the action
     */
    static QueueRequest of(QueueArguments typed, StandardStreams standardStreams, SecretMasker secretMasker) {
        if (typed.operands.size() != 2) {
            throw new UsageException(
                    "name an action and a queue, as in millrace queue stats emails. " + "See millrace queue --help.");
        }
        QueueAction action = QueueAction.parse(typed.operands.getFirst());
        refuse(typed.id, action == QueueAction.REDRIVE, "redrive");
        refuse(typed.part, action == QueueAction.PURGE, "purge");
        refuse(
                typed.limit,
                action == QueueAction.PEEK || action == QueueAction.DEAD || action == QueueAction.REDRIVE,
                "peek, dead and redrive");
        if (action == QueueAction.PURGE && !typed.part.isTyped()) {
            throw new UsageException("purge needs --part waiting, --part delayed or --part dead.");
        }
        if (typed.id.isTyped() && typed.limit.isTyped()) {
            throw new UsageException("--id names one job, so --limit has no meaning. Leave out one of these options.");
        }
        ServerChoice server = ServerChoice.of(typed.connection, standardStreams, secretMasker);
        return new QueueRequest(
                action,
                typed.operands.getLast(),
                server.client().connections(1).build(),
                typed.limit.value(),
                typed.id.value(),
                typed.part.value(),
                typed.json.isTyped(),
                server.warnings());
    }

    /** Returns the maximum number of listed jobs. */
    int listed() {
        return limit.orElse(QueueArguments.LIMIT.defaultValue());
    }

    /** Returns the maximum number of redriven jobs. Without the option, all jobs. */
    long redriven() {
        return limit.map(Integer::longValue).orElse(Long.MAX_VALUE);
    }

    private static void refuse(Option<?> option, boolean meaningful, String actions) {
        if (option.isTyped() && !meaningful) {
            throw new UsageException(option.name() + " has a meaning only for " + actions + ". Leave it out.");
        }
    }
}
