// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The ways of running some commands, each of which tells how every one of them ended. */
enum Way {
    /** One after the other. */
    CALL {
        @Override
        List<Fate> run(RedisClient client, List<Command<String>> commands) {
            return commands.stream().map(command -> call(client, command)).toList();
        }
    },
    /** All at once. */
    SEND {
        @Override
        List<Fate> run(RedisClient client, List<Command<String>> commands) {
            List<CompletableFuture<String>> futures =
                    commands.stream().map(client::send).toList();
            return futures.stream().map(Fate::of).toList();
        }
    },
    PIPELINE {
        @Override
        List<Fate> run(RedisClient client, List<Command<String>> commands) {
            return through(client.pipeline(), commands);
        }
    },
    /** A pipeline on a connection that does not connect again. */
    DEDICATED {
        @Override
        List<Fate> run(RedisClient client, List<Command<String>> commands) {
            try (DedicatedConnection connection = client.borrow()) {
                return through(connection.pipeline(), commands);
            }
        }
    },
    /** All in one, so there is one fate. */
    TRANSACTION {
        @Override
        List<Fate> run(RedisClient client, List<Command<String>> commands) {
            Transaction transaction = client.transaction();
            commands.forEach(transaction::add);
            try {
                transaction.run();
                return List.of(Fate.OK);
            } catch (RedisException e) {
                return List.of(Fate.of(e));
            }
        }
    };

    /** Runs {@code commands}, waits for all of them, and tells what became of each, in order. */
    abstract List<Fate> run(RedisClient client, List<Command<String>> commands);

    /** Waits for one command, and tells how it ended. */
    static Fate call(RedisClient client, Command<?> command) {
        try {
            client.call(command);
            return Fate.OK;
        } catch (RedisException e) {
            return Fate.of(e);
        }
    }

    private static List<Fate> through(Pipeline pipeline, List<Command<String>> commands) {
        commands.forEach(pipeline::add);
        List<Fate> fates = new ArrayList<>();
        pipeline.run().forEach(result -> fates.add(Fate.of(result.outcome())));
        return fates;
    }
}
