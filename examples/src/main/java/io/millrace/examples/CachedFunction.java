// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.cache.Cache;
import io.millrace.cache.CacheOptions;
import io.millrace.cache.LoadingCache;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import java.time.Duration;

/** Caches the results of a slow function for ten minutes. The second call with the same argument is fast. */
public final class CachedFunction {

    private CachedFunction() {}

    public static void main(String[] args) {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        // snippet: cached-function
        CacheOptions options = CacheOptions.builder()
                .timeToLive(Duration.ofMinutes(10))
                .loadTimeout(Duration.ofSeconds(5)) // a function that hangs is interrupted
                .build();

        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri));
                LoadingCache<String> squares =
                        Cache.loading(client, "example:squares", Codec.text(), options, CachedFunction::slowSquare)) {
            System.out.println("first call: " + squares.get("12")); // calls the function
            System.out.println("second call: " + squares.get("12")); // takes the value from Redis
            System.out.println(
                    "calls of the function: " + squares.cache().stats().loads());
            squares.remove("12"); // the next call computes the value again
        }
        // end
    }

    private static String slowSquare(String number) throws InterruptedException {
        Thread.sleep(200);
        int value = Integer.parseInt(number);
        return Integer.toString(value * value);
    }
}
