// SPDX-License-Identifier: Apache-2.0
package io.millrace.vertx;

import io.millrace.client.ClientOptions;
import io.millrace.client.Overflow;
import io.millrace.client.RedisUri;
import io.millrace.embedded.EmbeddedRedis;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A Vert.x instance for one test, with one event loop. */
final class TestVertx implements BeforeEachCallback, AfterEachCallback {

    /** A time limit that is longer than any operation takes on a busy machine. */
    static final Duration TIMEOUT = Duration.ofSeconds(60);

    private Vertx vertx = Vertx.vertx(options());

    /** The thread checker would log the event loops that tests block on purpose. */
    static VertxOptions options() {
        return new VertxOptions()
                .setEventLoopPoolSize(1)
                .setWorkerPoolSize(4)
                .setInternalBlockingPoolSize(4)
                .setBlockedThreadCheckInterval(TimeUnit.HOURS.toMillis(1));
    }

    @Override
    public void beforeEach(ExtensionContext context) {}

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        await(vertx.close());
    }

    /** Replaces the instance by another one. */
    void use(Vertx other) throws Exception {
        await(vertx.close());
        vertx = other;
    }

    Vertx vertx() {
        return vertx;
    }

    /** Runs {@code code} on the event loop, and waits for its future. */
    <T> T onEventLoop(Supplier<Future<T>> code) throws Exception {
        return on(vertx.getOrCreateContext(), code);
    }

    /** Runs {@code code} on {@code context}, and waits for its future. */
    static <T> T on(Context context, Supplier<Future<T>> code) throws Exception {
        CompletableFuture<T> result = new CompletableFuture<>();
        context.runOnContext(unused -> {
            try {
                code.get().onComplete(end -> {
                    if (end.succeeded()) {
                        result.complete(end.result());
                    } else {
                        result.completeExceptionally(end.cause());
                    }
                });
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        return await(result);
    }

    static <T> T await(Future<T> future) throws Exception {
        return await(future.toCompletionStage().toCompletableFuture());
    }

    static <T> T await(CompletableFuture<T> future) throws Exception {
        try {
            return future.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        } catch (TimeoutException e) {
            throw new AssertionError("timed out", e);
        }
    }

    static void await(String condition, BooleanSupplier reached) {
        long until = System.nanoTime() + TIMEOUT.toNanos();
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() - until > 0) {
                Assertions.fail("timed out waiting for: " + condition);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    static RedisUri uri(EmbeddedRedis server) {
        return RedisUri.of(server.host(), server.port());
    }

    /** Options that refuse commands, and time out late. */
    static ClientOptions.Builder options(RedisUri uri) {
        return ClientOptions.builder(uri)
                .overflow(Overflow.REFUSE)
                .connections(1)
                .connectTimeout(TIMEOUT)
                .commandTimeout(TIMEOUT);
    }
}
