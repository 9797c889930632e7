// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import io.millrace.lab.client.UsageMode.Capability;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.BatchOptions;
import org.redisson.api.BatchOptions.ExecutionMode;
import org.redisson.api.RBatch;
import org.redisson.api.RFuture;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.Codec;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.BaseConfig;
import org.redisson.config.Config;
import org.redisson.config.TransportMode;

/** Redisson. */
public final class RedissonClients {

    private static final Codec TEXT = StringCodec.INSTANCE;

    /** No command is executed twice. The default resends some commands, which breaks the comparison of counts. */
    private static final int NO_RETRIES = 0;

    private static final int DEFAULT_RETRIES = new Config().useSingleServer().getRetryAttempts();

    private static final long SHUTDOWN_SECONDS = 60;

    private static final String SETTINGS =
            "; StringCodec, native transport on Linux; PEXPIRE is sent in a script" + "; retryAttempts 0";

    static final ClientLibrary LIBRARY = new ClientLibrary(
            "redisson",
            "https://redisson.pro/docs/configuration/",
            List.of(
                    new UsageMode(
                            "bucket",
                            "RBucket, RAtomicLong, RMap, RDeque, pool of 64 connections; sends do not keep the order, see"
                                    + " https://redisson.pro/docs/data-and-services/objects/" + SETTINGS,
                            Set.of(
                                    Capability.CALL,
                                    Capability.SEND,
                                    Capability.TLS,
                                    Capability.UNIX_SOCKET,
                                    Capability.CLUSTER),
                            () -> new Objects(NO_RETRIES)),
                    new UsageMode(
                            "bucket-retries",
                            "RBucket, RAtomicLong; retryAttempts " + DEFAULT_RETRIES + ", which is the default",
                            Set.of(Capability.REPEATED_CALL),
                            () -> new Objects(DEFAULT_RETRIES)),
                    new UsageMode(
                            "batch",
                            "RBatch.execute(), mode IN_MEMORY, all results read, see https://redisson.pro/docs/pipelining/"
                                    + SETTINGS,
                            Set.of(Capability.BATCH, Capability.TLS, Capability.UNIX_SOCKET, Capability.CLUSTER),
                            () -> new Objects(NO_RETRIES))));

    /** The settings of a client of {@code target} that repeats no command. */
    public static Config config(Target target) throws IOException, GeneralSecurityException {
        return config(target, NO_RETRIES);
    }

    private static Config config(Target target, int retries) throws IOException, GeneralSecurityException {
        var config = new Config().setTransportMode(Epoll.isAvailable() ? TransportMode.EPOLL : TransportMode.NIO);
        target.username().ifPresent(config::setUsername);
        target.password().ifPresent(config::setPassword);
        if (target.certificate().isPresent()) {
            config.setSslTrustManagerFactory(
                    TrustedCertificates.trustManagers(target.certificate().get()));
        }
        String scheme = target.certificate().isPresent() ? "rediss://" : "redis://";
        String address =
                target.socket().map(path -> "redis+uds://" + path).orElse(scheme + target.host() + ":" + target.port());
        if (target.cluster()) {
            var cluster = common(config.useClusterServers().addNodeAddress(address), target, retries);
            if (target.connections() > 0) {
                cluster.setMasterConnectionPoolSize(target.connections())
                        .setMasterConnectionMinimumIdleSize(target.connections());
            }
        } else {
            var single = common(
                    config.useSingleServer().setAddress(address).setDatabase(target.database()), target, retries);
            if (target.connections() > 0) {
                single.setConnectionPoolSize(target.connections()).setConnectionMinimumIdleSize(target.connections());
            }
        }
        return config;
    }

    private static <T extends BaseConfig<T>> T common(T config, Target target, int retries) {
        return config.setTimeout((int) target.timeout().toMillis()).setRetryAttempts(retries);
    }

    @SuppressWarnings("NullAway.Init") // open() sets the field
    private static final class Objects extends LibraryClient {

        private final int retries;
        private RedissonClient client;

        Objects(int retries) {
            this.retries = retries;
        }

        @Override
        public void open(Target target) throws Exception {
            var connected = Redisson.create(config(target, retries));
            opened(() -> connected.shutdown(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS));
            client = connected;
        }

        /** The synchronous methods of Redisson are the asynchronous ones and a wait, too. */
        @Override
        public @Nullable Object call(Operation operation) throws Exception {
            return send(operation).toCompletableFuture().get();
        }

        @Override
        public CompletionStage<? extends @Nullable Object> send(Operation operation) {
            return switch (operation) {
                case Operation.Set set ->
                    client.<String>getBucket(set.key(), TEXT).setAsync(set.value());
                case Operation.Get get ->
                    client.<String>getBucket(get.key(), TEXT).getAsync();
                case Operation.Increment increment ->
                    client.getAtomicLong(increment.key()).incrementAndGetAsync();
                case Operation.SetField set ->
                    client.<String, String>getMap(set.key(), TEXT).fastPutAsync(set.field(), set.value());
                case Operation.PopLast pop ->
                    client.<String>getDeque(pop.key(), TEXT).pollLastAsync();
                case Operation.Expire expire ->
                    client.getBucket(expire.key(), TEXT).expireAsync(Duration.ofMillis(expire.millis()));
            };
        }

        @Override
        public List<@Nullable Object> batch(List<Operation> operations)
                throws ExecutionException, InterruptedException {
            var batch = client.createBatch(BatchOptions.defaults().executionMode(ExecutionMode.IN_MEMORY));
            var futures = new ArrayList<RFuture<?>>(operations.size());
            operations.forEach(operation -> futures.add(add(batch, operation)));
            batch.execute();
            return results(futures);
        }

        private static RFuture<?> add(RBatch batch, Operation operation) {
            return switch (operation) {
                case Operation.Set set ->
                    batch.<String>getBucket(set.key(), TEXT).setAsync(set.value());
                case Operation.Get get ->
                    batch.<String>getBucket(get.key(), TEXT).getAsync();
                case Operation.Increment increment ->
                    batch.getAtomicLong(increment.key()).incrementAndGetAsync();
                case Operation.SetField set ->
                    batch.<String, String>getMap(set.key(), TEXT).fastPutAsync(set.field(), set.value());
                case Operation.PopLast pop ->
                    batch.<String>getDeque(pop.key(), TEXT).pollLastAsync();
                case Operation.Expire expire ->
                    batch.getBucket(expire.key(), TEXT).expireAsync(Duration.ofMillis(expire.millis()));
            };
        }
    }

    private RedissonClients() {}
}
