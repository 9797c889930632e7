// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import glide.api.GlideClient;
import glide.api.logging.Logger;
import glide.api.models.Batch;
import glide.api.models.configuration.GlideClientConfiguration;
import glide.api.models.configuration.NodeAddress;
import glide.api.models.configuration.ServerCredentials;
import io.millrace.lab.run.LabException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Valkey GLIDE, whose core is a native library: call by call, and by {@code Batch}. */
public final class GlideLibrary implements Library {

    @Override
    public String name() {
        return "glide";
    }

    @Override
    public List<Way> ways() {
        return List.of(
                new Way(
                        Way.ONE_BY_ONE,
                        true,
                        "GlideClient, get() on each future, default options but a longer request timeout",
                        endpoint -> new OneByOne(new Calls(connect(endpoint)))),
                new Way(
                        Way.PIPELINE,
                        false,
                        "Batch(isAtomic=false), exec(batch, raiseOnError=true) and all results read: as its guide has it"
                                + " for pipelining; default options but a longer request timeout",
                        endpoint -> new Batched(new NonAtomicBatch(connect(endpoint)))));
    }

    private static GlideClient connect(Endpoint endpoint) throws Exception {
        return connect(endpoint, Endpoint.REPLY_TIMEOUT);
    }

    /** A client whose requests each have {@code timeout}. */
    static GlideClient connect(Endpoint endpoint, Duration timeout) throws Exception {
        load();
        return GlideClient.createClient(configuration(endpoint, timeout)).get();
    }

    /** Loads the native library by the first thing asked of it: to be silent, as it would log to standard output. */
    private static void load() {
        try {
            Logger.setLoggerConfig(Logger.Level.OFF);
        } catch (LinkageError | RuntimeException e) {
            throw new LabException(
                    "the native library of Valkey GLIDE cannot be loaded: os=" + System.getProperty("os.name")
                            + ", arch="
                            + System.getProperty("os.arch") + ", cause=" + deepest(e)
                            + ". Leave GLIDE out, or run on Linux or macOS, x86_64 or aarch64.",
                    e);
        }
    }

    private static Throwable deepest(Throwable thrown) {
        var deepest = thrown;
        for (var cause = thrown.getCause(); cause != null; cause = cause.getCause()) {
            deepest = cause;
        }
        return deepest;
    }

    private static GlideClientConfiguration configuration(Endpoint endpoint, Duration timeout) {
        var address = NodeAddress.builder().host(endpoint.host()).port(endpoint.port());
        var configuration = GlideClientConfiguration.builder()
                .address(address.build())
                .databaseId(endpoint.database())
                .requestTimeout((int) timeout.toMillis());
        endpoint.password()
                .ifPresent(password -> configuration.credentials(credentials(endpoint.username(), password)));
        return configuration.build();
    }

    private static ServerCredentials credentials(Optional<String> username, String password) {
        var credentials = ServerCredentials.builder().password(password);
        username.ifPresent(credentials::username);
        return credentials.build();
    }

    private record Calls(GlideClient client) implements OneByOne.Commands {

        @Override
        public void set(String key, String value) throws Exception {
            client.set(key, value).get();
        }

        @Override
        public @Nullable String get(String key) throws Exception {
            return client.get(key).get();
        }

        @Override
        public void putField(String hash, String field, String value) throws Exception {
            client.hset(hash, Map.of(field, value)).get();
        }

        @Override
        public void expire(String key, Duration timeToLive) throws Exception {
            client.pexpire(key, timeToLive.toMillis()).get();
        }

        @Override
        public @Nullable String pop(String list) throws Exception {
            return client.rpop(list).get();
        }

        @Override
        public void close() throws Exception {
            client.close();
        }
    }

    private record NonAtomicBatch(GlideClient client) implements Batched.Batches {

        @Override
        public void set(List<Pair> pairs) throws Exception {
            run(pairs, (batch, pair) -> batch.set(pair.key(), pair.value()));
        }

        @Override
        public List<@Nullable String> get(List<String> keys) throws Exception {
            return run(keys, Batch::get);
        }

        @Override
        public void putFields(String hash, List<Pair> fields) throws Exception {
            run(fields, (batch, field) -> batch.hset(hash, Map.of(field.key(), field.value())));
        }

        @Override
        public void expire(String key, Duration timeToLive) throws Exception {
            client.pexpire(key, timeToLive.toMillis()).get();
        }

        @Override
        public List<@Nullable String> pop(List<String> lists) throws Exception {
            return run(lists, Batch::rpop);
        }

        private <T> List<@Nullable String> run(List<T> items, BiConsumer<Batch, T> command)
                throws ExecutionException, InterruptedException {
            var batch = new Batch(false);
            items.forEach(item -> command.accept(batch, item));
            var texts = new ArrayList<@Nullable String>(items.size());
            for (@Nullable Object result : client.exec(batch, true).get()) {
                texts.add(result == null ? null : result.toString());
            }
            return texts;
        }

        @Override
        public void close() throws Exception {
            client.close();
        }
    }
}
