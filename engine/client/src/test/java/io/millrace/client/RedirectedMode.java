// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Fusion;
import io.millrace.client.exception.RedisException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The ways to send commands of one slot to a cluster. Each way checks the replies and returns the fates of the commands. */
enum RedirectedMode {
    CALL {
        @Override
        List<CommandFate> run(RedisClient client, List<Expected> commands, Duration timeout, boolean fused) {
            List<CommandFate> fates = new ArrayList<>();
            for (Expected expected : commands) {
                try {
                    expected.check(client.call(expected.command()));
                    fates.add(CommandFate.OK);
                } catch (RedisException e) {
                    fates.add(CommandFate.of(e));
                }
            }
            return fates;
        }
    },
    SEND {
        @Override
        List<CommandFate> run(RedisClient client, List<Expected> commands, Duration timeout, boolean fused) {
            List<CompletableFuture<?>> futures = new ArrayList<>();
            commands.forEach(expected -> futures.add(client.send(expected.command())));
            List<CommandFate> fates = futures.stream().map(CommandFate::of).toList();
            for (int i = 0; i < fates.size(); i++) {
                if (fates.get(i) == CommandFate.OK) {
                    commands.get(i).check(futures.get(i).join());
                }
            }
            return fates;
        }
    },
    PIPELINE {
        @Override
        List<CommandFate> run(RedisClient client, List<Expected> commands, Duration timeout, boolean fused) {
            Pipeline pipeline = client.pipeline();
            commands.forEach(expected -> pipeline.add(expected.command()));
            List<CommandFate> fates = new ArrayList<>();
            for (Result<?> result : pipeline.run()) {
                if (result.ok()) {
                    commands.get(fates.size()).check(result.value());
                }
                fates.add(CommandFate.of(result.outcome()));
            }
            return fates;
        }
    },
    /** Returns one fate for all commands. */
    TRANSACTION {
        @Override
        List<CommandFate> run(RedisClient client, List<Expected> commands, Duration timeout, boolean fused) {
            Transaction transaction = client.transaction();
            List<Result<?>> results = new ArrayList<>();
            commands.forEach(expected -> results.add(transaction.add(expected.command())));
            try {
                assertThat(transaction.run()).isEqualTo(Transaction.Ending.EXECUTED);
            } catch (RedisException e) {
                return List.of(CommandFate.of(e));
            }
            for (int i = 0; i < results.size(); i++) {
                commands.get(i).check(results.get(i).value());
            }
            return List.of(CommandFate.OK);
        }
    },
    /** Writes the commands with a bulk writer. */
    BULK {
        @Override
        List<CommandFate> run(RedisClient client, List<Expected> commands, Duration timeout, boolean fused) {
            CommandFate[] fates = new CommandFate[commands.size()];
            Set<Fusion> fusion = fusion(fused);
            try (BulkWriter writer =
                    client.bulkWriter(new BulkOptions(64, 1 << 20, timeout, fusion), (tag, spec, outcome) -> {
                        int i = Math.toIntExact(tag);
                        assertThat(fates[i])
                                .as("earlier outcome of command %d", i)
                                .isNull();
                        fates[i] = CommandFate.of(outcome);
                        if (outcome instanceof Outcome.Ok ok) {
                            commands.get(i).check(spec.decode(ok.reply()));
                        }
                    })) {
                for (int i = 0; i < fates.length; i++) {
                    Command<?> command = commands.get(i).command();
                    writer.begin(command.spec());
                    RawConnection.arguments(command).forEach(writer::arg);
                    writer.end(i);
                }
                writer.finish();
                assertThat(writer.counts().pending()).isZero();
            }
            return Arrays.asList(fates);
        }
    };

    /** A command and the value of its reply. */
    record Expected(Command<?> command, Object value) {
        private void check(Object actual) {
            assertThat(actual).as("reply to %s", command).isEqualTo(value);
        }
    }

    static Set<Fusion> fusion(boolean fused) {
        return fused ? Fusion.ALL_EXACT : Fusion.NONE;
    }

    /**
     * Runs {@code commands} and waits until each command has its fate.
     *
     * @param timeout the timeout of a command of a bulk writer; other commands have the timeout of the client
     */
    abstract List<CommandFate> run(RedisClient client, List<Expected> commands, Duration timeout, boolean fused);
}
