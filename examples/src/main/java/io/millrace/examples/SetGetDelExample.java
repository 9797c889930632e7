// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.ClientOptions;
import io.millrace.client.Overflow;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Keys;
import io.millrace.client.command.SetOptions;
import io.millrace.client.command.Strings;
import io.millrace.vertx.VertxRedis;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A hundred clients on one event loop of Vert.x. Each client sets, gets and deletes a key on a timer, at a steady rate.
 * All clients share the connections of one {@link VertxRedis}.
 */
public final class SetGetDelExample {

    private static final int CLIENTS = 100;
    private static final long PERIOD_MILLIS = 100;
    private static final int ROUNDS = 10;

    private final Vertx vertx;
    private final VertxRedis redis;

    // Used on the event loop.
    private int complete;
    private int failed;

    private SetGetDelExample(Vertx vertx, VertxRedis redis) {
        this.vertx = vertx;
        this.redis = redis;
    }

    public static void main(String[] args) {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        Vertx vertx = Vertx.vertx();
        try {
            System.out.println(run(vertx, RedisUri.parse(uri))
                    .toCompletionStage()
                    .toCompletableFuture()
                    .join());
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    private static Future<String> run(Vertx vertx, RedisUri uri) {
        // snippet: vertx-connect
        ClientOptions options = ClientOptions.builder(uri)
                .overflow(Overflow.REFUSE) // an event loop must not wait for a permit
                .commandTimeout(Duration.ofSeconds(5))
                .build();
        return VertxRedis.connect(vertx, options)
                .compose(redis -> new SetGetDelExample(vertx, redis)
                        .runAll()
                        .eventually(redis::close)); // in a verticle, this is not necessary
        // end
    }

    private Future<String> runAll() {
        List<Future<Void>> clients = new ArrayList<>();
        for (int client = 0; client < CLIENTS; client++) {
            clients.add(start(client));
        }
        return Future.all(clients).map(all -> "rounds: " + complete + ", failed: " + failed);
    }

    /** Starts one client. The first rounds of the clients are spread over the period. */
    private Future<Void> start(int client) {
        Promise<Void> done = Promise.promise();
        int[] left = {ROUNDS};
        vertx.setPeriodic(1 + client * PERIOD_MILLIS / CLIENTS, PERIOD_MILLIS, timer -> {
            boolean last = --left[0] == 0;
            if (last) {
                vertx.cancelTimer(timer);
            }
            // A round may begin before the end of the last one, so each round has its own key.
            round("example:vertx:" + client + ":" + left[0]).onComplete(end -> {
                complete += end.succeeded() ? 1 : 0;
                failed += end.succeeded() ? 0 : 1;
                if (last) {
                    done.complete();
                }
            });
        });
        return done.future();
    }

    // snippet: vertx-set-get-delete
    private Future<Long> round(String key) {
        return redis.send(Strings.set(key, "hello", SetOptions.ALWAYS.expiringIn(Duration.ofMinutes(1))))
                .compose(ok -> redis.send(Strings.get(key)))
                .compose(value -> value.equals(Optional.of("hello"))
                        ? redis.send(Keys.delete(key))
                        : Future.failedFuture("the key has another value: " + value));
    }
    // end
}
