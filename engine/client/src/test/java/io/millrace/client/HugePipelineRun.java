// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedRedis;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Runs one pipeline of millions of commands. The listener of the pipeline receives every result in order, including
 * every error. This is a separate program that runs with a small heap: {@code HugePipelineRun <commands>}.
 */
final class HugePipelineRun {

    /** One out of this number of commands fails. */
    private static final long ERROR_EVERY = 1_000;

    private long reported;
    private long errors;

    private HugePipelineRun() {}

    public static void main(String[] arguments) {
        long commands = Long.parseLong(arguments[0]);
        try (EmbeddedRedis server = EmbeddedRedis.start();
                RedisClient client =
                        RedisClient.connect(ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                                .connectTimeout(Duration.ofSeconds(60))
                                .build())) {
            new HugePipelineRun().run(client, commands);
        }
    }

    private void run(RedisClient client, long commands) {
        long before = System.nanoTime();
        Pipeline pipeline = client.pipeline(this::check);
        for (long i = 0; i < commands; i++) {
            String key = "k" + i % 500;
            Command<?> command = isMistake(i) ? Lists.pushRight(key, "v") : Strings.set(key, "value " + i);
            pipeline.add(command);
        }
        assertThat(pipeline.run()).isEmpty();
        System.out.printf(
                "%d commands in %d ms with a heap of %d MiB; %s%n",
                commands,
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before),
                Runtime.getRuntime().maxMemory() >> 20,
                client.counts());

        assertThat(reported).isEqualTo(commands);
        assertThat(errors).isEqualTo(commands / ERROR_EVERY);
        assertThat(client.counts()).isEqualTo(new CommandCounts(commands, commands - errors, errors, 0, 0, 0, 0));
    }

    /**
     * Returns whether the command at {@code index} is an {@code RPUSH} to a key that holds a string. Such a command
     * fails.
     */
    private static boolean isMistake(long index) {
        return index % ERROR_EVERY == ERROR_EVERY - 1;
    }

    private void check(long index, Result<?> result) {
        if (index != reported++) {
            throw new AssertionError("reported " + index + " after " + (reported - 2));
        }
        if (isMistake(index)) {
            errors++;
            if (!(result.outcome() instanceof Outcome.Failed failed)
                    || !failed.error().code().equals("WRONGTYPE")) {
                throw new AssertionError(index + " should have failed: outcome=" + result.outcome());
            }
        } else if (!result.ok()) {
            throw new AssertionError(index + " failed: outcome=" + result.outcome());
        }
    }
}
