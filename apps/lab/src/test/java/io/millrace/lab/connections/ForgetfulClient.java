// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.lab.client.ClientAdapter;
import io.millrace.lab.client.Operation;
import io.millrace.lab.client.Target;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A client that replies to some commands of each burst of ten only. The others end with the client. */
final class ForgetfulClient implements ClientAdapter {

    private static final int BURST = 10;

    private final int replies;
    private final AtomicInteger sent = new AtomicInteger();
    private final Queue<CompletableFuture<@Nullable Object>> pending = new ConcurrentLinkedQueue<>();

    ForgetfulClient(int replies) {
        this.replies = replies;
    }

    @Override
    public void open(Target target) {}

    @Override
    public CompletionStage<? extends @Nullable Object> send(Operation operation) {
        var reply = new CompletableFuture<@Nullable Object>();
        if (sent.getAndIncrement() % BURST < replies) {
            reply.complete(1L);
        } else {
            pending.add(reply);
        }
        return reply;
    }

    @Override
    public void close() {
        pending.forEach(reply -> reply.completeExceptionally(new IOException("the client is closed")));
    }
}
