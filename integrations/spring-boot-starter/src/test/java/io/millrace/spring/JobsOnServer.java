// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedRedis;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Jobs of a test class with one server. Each test begins with an empty server and a new client. Register an instance in a static
 * field with {@code @RegisterExtension}.
 */
final class JobsOnServer implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {

    private @Nullable EmbeddedRedis server;
    private @Nullable RedisClient client;

    @Override
    public void beforeAll(ExtensionContext context) {
        server = EmbeddedRedis.start();
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        client = RedisClient.connect(RedisUri.parse(server().uri()));
        client.call(Server.flush());
    }

    @Override
    public void afterEach(ExtensionContext context) {
        client().close();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        server().close();
    }

    EmbeddedRedis server() {
        return Objects.requireNonNull(server, "the server is started before the first test");
    }

    /** The client of the current test. */
    RedisClient client() {
        return Objects.requireNonNull(client, "the client is connected before each test");
    }

    /** Jobs of an application whose listener and observers are given. */
    LoadJobs jobs(ApplicationEventPublisher listener, List<LoadObserver> observers, LoadJob... jobs) {
        return new LoadJobs(List.of(jobs), environment(listener, observers, StopLimits.DEFAULT));
    }

    /** Jobs with other limits of a stop. */
    LoadJobs jobs(ApplicationEventPublisher listener, StopLimits limits, LoadJob... jobs) {
        return new LoadJobs(List.of(jobs), environment(listener, List.of(), limits));
    }

    LoadJobs jobs(ApplicationEventPublisher listener, LoadJob... jobs) {
        return jobs(listener, List.of(), jobs);
    }

    private LoadJobs.JobEnvironment environment(
            ApplicationEventPublisher listener, List<LoadObserver> observers, StopLimits limits) {
        return new LoadJobs.JobEnvironment(
                client(),
                LoaderOptions.of(client().options()),
                LoadProperties.LEASE.defaultValue(),
                listener,
                observers,
                limits);
    }

    /** Waits in a listener, which cannot throw an {@link InterruptedException}. */
    static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
