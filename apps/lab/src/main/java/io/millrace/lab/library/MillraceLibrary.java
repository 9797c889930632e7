// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.command.Command;
import io.millrace.client.command.Fusion;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Strings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Millrace, with the client that is made to be shared: call by call, and by {@code Pipeline}. */
public final class MillraceLibrary implements Library {

    private static final String PIPELINE =
            "RedisClient.pipeline(), run() after each batch, every Result read, as its README has it; default options but a longer"
                    + " command timeout; ";

    @Override
    public String name() {
        return "millrace";
    }

    @Override
    public List<Way> ways() {
        return List.of(
                new Way(
                        Way.ONE_BY_ONE,
                        true,
                        "RedisClient.call(), default options but a longer command timeout",
                        endpoint -> new OneByOne(new Calls(connect(endpoint, Fusion.ALL_EXACT)))),
                new Way(
                        Way.PIPELINE,
                        false,
                        PIPELINE + "not fused, so that the server gets the same commands as from the others",
                        endpoint -> new Batched(new Pipelines(connect(endpoint, Fusion.NONE)))),
                new Way(
                        Way.PIPELINE_FUSED,
                        false,
                        PIPELINE + "fused as for writing: nobody asks how many fields were new",
                        endpoint -> new Batched(new Pipelines(connect(endpoint, Fusion.FOR_BULK_WRITES)))));
    }

    private static RedisClient connect(Endpoint endpoint, Set<Fusion> fusion) {
        return RedisClient.connect(MillraceConnections.builder(endpoint)
                .fusion(fusion)
                .commandTimeout(Endpoint.REPLY_TIMEOUT)
                .build());
    }

    private record Calls(RedisClient client) implements OneByOne.Commands {

        @Override
        public void set(String key, String value) {
            client.call(Strings.set(key, value));
        }

        @Override
        public @Nullable String get(String key) {
            return client.call(Strings.get(key)).orElse(null);
        }

        @Override
        public void putField(String hash, String field, String value) {
            client.call(Hashes.set(hash, field, value));
        }

        @Override
        public void expire(String key, Duration timeToLive) {
            client.call(Keys.expire(key, timeToLive));
        }

        @Override
        public @Nullable String pop(String list) {
            return client.call(Lists.popRight(list)).orElse(null);
        }

        @Override
        public void close() {
            client.close();
        }
    }

    private record Pipelines(RedisClient client) implements Batched.Batches {

        @Override
        public void set(List<Pair> pairs) {
            run(pairs, pair -> Strings.set(pair.key(), pair.value()));
        }

        @Override
        public List<@Nullable String> get(List<String> keys) {
            return texts(run(keys, Strings::get));
        }

        @Override
        public void putFields(String hash, List<Pair> fields) {
            run(fields, field -> Hashes.set(hash, field.key(), field.value()));
        }

        @Override
        public void expire(String key, Duration timeToLive) {
            client.call(Keys.expire(key, timeToLive));
        }

        @Override
        public List<@Nullable String> pop(List<String> lists) {
            return texts(run(lists, Lists::popRight));
        }

        /** {@link Result#value} throws what the server answered with. */
        private <T, R> List<R> run(List<T> items, Function<T, Command<R>> command) {
            var pipeline = client.pipeline();
            var results = new ArrayList<Result<R>>(items.size());
            items.forEach(item -> results.add(pipeline.add(command.apply(item))));
            pipeline.run();
            var values = new ArrayList<R>(items.size());
            results.forEach(result -> values.add(result.value()));
            return values;
        }

        private static List<@Nullable String> texts(List<Optional<String>> values) {
            var texts = new ArrayList<@Nullable String>(values.size());
            values.forEach(value -> texts.add(value.orElse(null)));
            return texts;
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
