// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedRedis;
import java.util.concurrent.TimeUnit;

/**
 * One pipeline of millions of commands, whose listener is told of each, in order, and of every error. A program of its own, for
 * a small heap: {@code HugePipelineRun <commands>}.
 */
final class HugePipelineRun {

    /** One of so many is a mistake. */
    private static final long ERROR_EVERY = 1_000;

    private long told;
    private long errors;

    private HugePipelineRun() {}

    public static void main(String[] arguments) {
        long commands = Long.parseLong(arguments[0]);
        try (EmbeddedRedis server = EmbeddedRedis.start();
                RedisClient client = RedisClient.connect(RedisUri.of(server.host(), server.port()))) {
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

        assertThat(told).isEqualTo(commands);
        assertThat(errors).isEqualTo(commands / ERROR_EVERY);
        assertThat(client.counts()).isEqualTo(new CommandCounts(commands, commands - errors, errors, 0, 0, 0, 0));
    }

    /** To a string nothing can be pushed. */
    private static boolean isMistake(long index) {
        return index % ERROR_EVERY == ERROR_EVERY - 1;
    }

    private void check(long index, Result<?> result) {
        if (index != told++) {
            throw new AssertionError("told of " + index + " after " + (told - 2));
        }
        if (isMistake(index)) {
            errors++;
            if (!(result.outcome() instanceof Outcome.Failed failed)
                    || !failed.error().code().equals("WRONGTYPE")) {
                throw new AssertionError(index + " should have failed, and ended so: " + result.outcome());
            }
        } else if (!result.ok()) {
            throw new AssertionError(index + " ended so: " + result.outcome());
        }
    }
}
