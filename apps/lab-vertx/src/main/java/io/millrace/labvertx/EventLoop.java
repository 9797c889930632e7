// SPDX-License-Identifier: Apache-2.0
package io.millrace.labvertx;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** One event loop, and a thread that waits for its work. */
final class EventLoop implements AutoCloseable {

    /** Longer than every round. */
    private static final long LIMIT_MINUTES = 5;

    private final Vertx vertx = Vertx.vertx(new VertxOptions()
            .setPreferNativeTransport(true)
            .setFileSystemOptions(
                    new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));
    private final Context context = vertx.getOrCreateContext();

    Vertx vertx() {
        return vertx;
    }

    /** Calls {@code work} on the event loop, and waits for the end of its future. */
    <T> T run(Supplier<Future<T>> work) throws Exception {
        Promise<T> done = Promise.promise();
        context.runOnContext(
                unused -> Future.succeededFuture().compose(begun -> work.get()).onComplete(done));
        return done.future().toCompletionStage().toCompletableFuture().get(LIMIT_MINUTES, TimeUnit.MINUTES);
    }

    @Override
    public void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(LIMIT_MINUTES, TimeUnit.MINUTES);
    }
}
