// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.RedisUri;
import io.millrace.client.Result;
import io.millrace.client.command.Command;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Strings;
import io.millrace.vertx.VertxRedis;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A verticle whose hundred clients count visits on a timer, at a steady rate: one batch of ten commands for each client
 * and tick. A failed command is a value, and does not fail its batch.
 */
public final class BatchExample extends VerticleBase {

    private static final int CLIENTS = 100;
    private static final int PAGES = 10;
    private static final long PERIOD_MILLIS = 50;
    private static final int TICKS = 10;

    private final RedisUri uri;
    private final Promise<String> report = Promise.promise();

    // Used on the event loop of the verticle.
    private int ticks;
    private long counted;
    private long failed;

    private BatchExample(RedisUri uri) {
        this.uri = uri;
    }

    public static void main(String[] args) {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        Vertx vertx = Vertx.vertx();
        BatchExample example = new BatchExample(RedisUri.parse(uri));
        try {
            Future<String> report = vertx.deployVerticle(example)
                    .compose(id -> example.report
                            .future()
                            .compose(text -> vertx.undeploy(id).map(text)));
            System.out.println(report.toCompletionStage().toCompletableFuture().join());
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    // snippet: vertx-verticle
    @Override
    public Future<?> start() {
        // The client is closed with this verticle.
        return VertxRedis.connect(vertx, uri)
                .onSuccess(redis -> vertx.setPeriodic(PERIOD_MILLIS, timer -> tick(redis, timer)));
    }
    // end

    private void tick(VertxRedis redis, long timer) {
        boolean last = ++ticks == TICKS;
        if (last) {
            vertx.cancelTimer(timer);
        }
        List<Future<?>> batches = new ArrayList<>();
        for (int client = 0; client < CLIENTS; client++) {
            batches.add(count(redis, client));
        }
        if (last) {
            Future.all(batches)
                    .compose(all -> deleteKeys(redis))
                    .map(deleted -> report())
                    .onComplete(report);
        }
    }

    private Future<List<Result<Long>>> count(VertxRedis redis, int client) {
        // snippet: vertx-batch
        List<Command<Long>> visits = IntStream.range(0, PAGES)
                .mapToObj(page -> Strings.increment(key(client, page)))
                .toList();
        return redis.pipeline(visits).onSuccess(results -> {
            for (Result<Long> result : results) {
                counted += result.ok() ? 1 : 0;
                failed += result.ok() ? 0 : 1;
            }
        });
        // end
    }

    private static Future<?> deleteKeys(VertxRedis redis) {
        return redis.send(Keys.delete(IntStream.range(0, CLIENTS * PAGES)
                .mapToObj(i -> key(i / PAGES, i % PAGES))
                .toArray(String[]::new)));
    }

    private static String key(int client, int page) {
        return "example:vertx:" + client + ":" + page;
    }

    private String report() {
        return "batches: " + ticks * CLIENTS + ", counted: " + counted + ", failed: " + failed;
    }
}
