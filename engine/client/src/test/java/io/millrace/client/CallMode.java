// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.Command;
import io.millrace.client.exception.RedisException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The ways to run a list of commands and to return their results. */
enum CallMode {
    /** Runs one command after the other, each with {@code RedisClient.call}. */
    CALL {
        @Override
        <T> List<CommandFate> run(RedisClient client, List<Command<T>> commands) {
            return commands.stream().map(command -> call(client, command)).toList();
        }
    },
    /** Sends all commands with {@code RedisClient.send} without waiting for replies, and then waits for the futures. */
    SEND {
        @Override
        <T> List<CommandFate> run(RedisClient client, List<Command<T>> commands) {
            List<CompletableFuture<T>> futures =
                    commands.stream().map(client::send).toList();
            return futures.stream().map(CommandFate::of).toList();
        }
    },
    PIPELINE {
        @Override
        <T> List<CommandFate> run(RedisClient client, List<Command<T>> commands) {
            return through(client.pipeline(), commands);
        }
    },
    /** Runs a pipeline on a dedicated connection, which does not reconnect. */
    DEDICATED {
        @Override
        <T> List<CommandFate> run(RedisClient client, List<Command<T>> commands) {
            try (DedicatedConnection connection = client.borrow()) {
                return through(connection.pipeline(), commands);
            }
        }
    },
    /** Runs all commands in one transaction and returns one result for the transaction. */
    TRANSACTION {
        @Override
        <T> List<CommandFate> run(RedisClient client, List<Command<T>> commands) {
            Transaction transaction = client.transaction();
            commands.forEach(transaction::add);
            try {
                transaction.run();
                return List.of(CommandFate.OK);
            } catch (RedisException e) {
                return List.of(CommandFate.of(e));
            }
        }
    };

    /** Runs {@code commands}, waits until every command has its result, and returns the results in order. */
    abstract <T> List<CommandFate> run(RedisClient client, List<Command<T>> commands);

    /** Runs one command and returns its result. */
    static CommandFate call(RedisClient client, Command<?> command) {
        try {
            client.call(command);
            return CommandFate.OK;
        } catch (RedisException e) {
            return CommandFate.of(e);
        }
    }

    private static <T> List<CommandFate> through(Pipeline pipeline, List<Command<T>> commands) {
        commands.forEach(pipeline::add);
        List<CommandFate> fates = new ArrayList<>();
        pipeline.run().forEach(result -> fates.add(CommandFate.of(result.outcome())));
        return fates;
    }
}
