// SPDX-License-Identifier: Apache-2.0
package io.millrace.vertx;

import io.millrace.client.ClientOptions;
import io.millrace.client.CommandCounts;
import io.millrace.client.Overflow;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Strings;
import io.vertx.core.Context;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;

/** A program that pipes rows through a sink. Prints the counts of its client. Arguments: the URI, the number of rows. */
final class MillionRows {

    private MillionRows() {}

    public static void main(String[] arguments) throws Exception {
        ClientOptions options = ClientOptions.builder(RedisUri.parse(arguments[0]))
                .overflow(Overflow.REFUSE)
                .build();
        int rows = Integer.parseInt(arguments[1]);
        Vertx vertx = Vertx.vertx(TestVertx.options());
        VertxRedis redis = TestVertx.await(VertxRedis.connect(vertx, options));
        Context context = vertx.getOrCreateContext();
        Promise<Void> done = Promise.promise();
        context.runOnContext(unused -> new CountingSource(context, rows)
                .commands(number -> Strings.set("row:" + number % 10_000, row(number)))
                .pipeTo(redis.sink())
                .onComplete(done));
        // Without a time limit, because the number of rows is an argument.
        done.future().toCompletionStage().toCompletableFuture().get();
        CommandCounts counts = redis.client().counts();
        TestVertx.await(vertx.close());
        System.out.println(counts);
    }

    private static String row(int number) {
        return "{\"id\": %d, \"name\": \"name %d\", \"city\": \"city %d\", \"age\": 42, \"plan\": \"free\"}"
                .replace("%d", Integer.toString(number));
    }
}
