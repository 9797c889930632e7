// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.Strings;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import io.millrace.lab.workload.PairData;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Millrace with one client that all callers share. */
public record MillraceCalls(Callers callers, int count) implements WarmContender {

    @Override
    public String name() {
        return "millrace";
    }

    @Override
    public String variant() {
        return callers.word();
    }

    @Override
    public String note() {
        return callers.of(count) + ", call() on one shared client, default options;" + " JVM warm, connections open";
    }

    @Override
    public Rounds open(Task task) {
        var client = RedisClient.connect(ClientOptions.of(RedisUri.of(task.host(), task.port())));
        return new CallRounds(PairData.of(count), callers, task.operations(), new Commands(client));
    }

    private record Commands(RedisClient client) implements CallRounds.Client {

        @Override
        public String set(String key, String value) {
            return client.call(Strings.set(key, value));
        }

        @Override
        public @Nullable String get(String key) {
            return client.call(Strings.get(key)).orElse(null);
        }

        @Override
        public Optional<Outcomes> outcomes() {
            return Optional.of(MillraceCounts.outcomes(client.counts()));
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
