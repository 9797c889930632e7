// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import glide.api.BaseClient;
import glide.api.GlideClient;
import glide.api.GlideClusterClient;
import glide.api.logging.Logger;
import glide.api.models.BaseBatch;
import glide.api.models.Batch;
import glide.api.models.ClusterBatch;
import glide.api.models.configuration.AdvancedGlideClientConfiguration;
import glide.api.models.configuration.AdvancedGlideClusterClientConfiguration;
import glide.api.models.configuration.BaseClientConfiguration.BaseClientConfigurationBuilder;
import glide.api.models.configuration.GlideClientConfiguration;
import glide.api.models.configuration.GlideClusterClientConfiguration;
import glide.api.models.configuration.NodeAddress;
import glide.api.models.configuration.ServerCredentials;
import glide.api.models.configuration.TlsAdvancedConfiguration;
import io.millrace.lab.client.UsageMode.Capability;
import io.millrace.lab.server.LabException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Valkey GLIDE. Its core is a native library. */
public final class GlideClients {

    /** GLIDE counts a request a little longer than the caller, whose future completes first. */
    private static final int LIMITS_PER_WINDOW = 2;

    static final ClientLibrary LIBRARY = new ClientLibrary(
            "glide",
            "https://valkey.io/valkey-glide-docs/concepts/architecture/multiplexing",
            List.of(new UsageMode(
                    "multiplexed",
                    "one connection; sends do not keep the order; Batch(isAtomic=false), exec(batch, raiseOnError=true), all"
                            + " results read; inflightRequestsLimit 1,000 (default) or " + LIMITS_PER_WINDOW
                            + " times the window of the experiment, see"
                            + " https://valkey.io/valkey-glide-docs/concepts/client-features/inflight-request-limit",
                    Set.of(Capability.CALL, Capability.SEND, Capability.BATCH, Capability.TLS, Capability.CLUSTER),
                    Multiplexed::new)));

    /** Loads the native library. The first call turns off its log, which would go to standard output. */
    private static void load() {
        try {
            Logger.setLoggerConfig(Logger.Level.OFF);
        } catch (LinkageError | RuntimeException e) {
            throw new LabException(
                    "the native library of Valkey GLIDE cannot be loaded: os=" + System.getProperty("os.name")
                            + ", arch=" + System.getProperty("os.arch") + ", cause=" + e
                            + ". Leave GLIDE out, or run on Linux or macOS, x86_64 or aarch64.",
                    e);
        }
    }

    private static void configure(BaseClientConfigurationBuilder<?, ?> builder, Target target) {
        builder.address(NodeAddress.builder()
                        .host(target.host())
                        .port(target.port())
                        .build())
                .requestTimeout((int) target.timeout().toMillis())
                .useTLS(target.certificate().isPresent());
        if (target.inFlight() > 0) {
            builder.inflightRequestsLimit(LIMITS_PER_WINDOW * target.inFlight());
        }
        if (target.database() > 0) {
            builder.databaseId(target.database());
        }
        target.password().ifPresent(password -> {
            var credentials = ServerCredentials.builder().password(password);
            target.username().ifPresent(credentials::username);
            builder.credentials(credentials.build());
        });
    }

    private static TlsAdvancedConfiguration tls(Target target) throws IOException {
        var tls = TlsAdvancedConfiguration.builder();
        if (target.certificate().isPresent()) {
            tls.rootCertificates(Files.readAllBytes(target.certificate().get()));
        }
        return tls.build();
    }

    @SuppressWarnings("NullAway.Init") // open() sets the fields
    private static final class Multiplexed extends LibraryClient {

        private BaseClient client;

        @Override
        public void open(Target target) throws Exception {
            load();
            client = opened(target.cluster() ? cluster(target) : single(target));
        }

        private static BaseClient single(Target target) throws Exception {
            var builder = GlideClientConfiguration.builder()
                    .advancedConfiguration(AdvancedGlideClientConfiguration.builder()
                            .tlsAdvancedConfiguration(tls(target))
                            .build());
            configure(builder, target);
            return GlideClient.createClient(builder.build()).get();
        }

        private static BaseClient cluster(Target target) throws Exception {
            var builder = GlideClusterClientConfiguration.builder()
                    .advancedConfiguration(AdvancedGlideClusterClientConfiguration.builder()
                            .tlsAdvancedConfiguration(tls(target))
                            .build());
            configure(builder, target);
            return GlideClusterClient.createClient(builder.build()).get();
        }

        @Override
        public @Nullable Object call(Operation operation) throws ExecutionException, InterruptedException {
            return send(operation).get();
        }

        @Override
        public CompletableFuture<? extends @Nullable Object> send(Operation operation) {
            return switch (operation) {
                case Operation.Set set -> client.set(set.key(), set.value());
                case Operation.Get get -> client.get(get.key());
                case Operation.Increment increment -> client.incr(increment.key());
                case Operation.SetField set -> client.hset(set.key(), Map.of(set.field(), set.value()));
                case Operation.PopLast pop -> client.rpop(pop.key());
                case Operation.Expire expire -> client.pexpire(expire.key(), expire.millis());
            };
        }

        @Override
        public List<@Nullable Object> batch(List<Operation> operations) throws Exception {
            return Arrays.<@Nullable Object>asList(exec(operations).get());
        }

        private CompletableFuture<Object[]> exec(List<Operation> operations) {
            if (client instanceof GlideClusterClient cluster) {
                var batch = new ClusterBatch(false);
                operations.forEach(operation -> add(batch, operation));
                return cluster.exec(batch, true);
            }
            var batch = new Batch(false);
            operations.forEach(operation -> add(batch, operation));
            return ((GlideClient) client).exec(batch, true);
        }

        private static BaseBatch<?> add(BaseBatch<?> batch, Operation operation) {
            return switch (operation) {
                case Operation.Set set -> batch.set(set.key(), set.value());
                case Operation.Get get -> batch.get(get.key());
                case Operation.Increment increment -> batch.incr(increment.key());
                case Operation.SetField set -> batch.hset(set.key(), Map.of(set.field(), set.value()));
                case Operation.PopLast pop -> batch.rpop(pop.key());
                case Operation.Expire expire -> batch.pexpire(expire.key(), expire.millis());
            };
        }
    }

    private GlideClients() {}
}
