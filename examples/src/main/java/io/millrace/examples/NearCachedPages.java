// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.cache.Cache;
import io.millrace.cache.NearCacheOptions;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;

/**
 * Keeps the entries of a cache also in the memory of this process. The server reports each change, so this process sees
 * the changes of other processes.
 */
public final class NearCachedPages {

    private NearCachedPages() {}

    public static void main(String[] args) {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        // snippet: near-cache
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri));
                Cache<String> pages = Cache.builder(client, "example:pages", Codec.text())
                        .near(NearCacheOptions.entries(100_000))
                        .build();
                Cache<String> elsewhere =
                        Cache.builder(client, "example:pages", Codec.text()).build()) {
            pages.put("home", "version 1");
            while (pages.stats().nearHits() < 1_000) { // the first read fills the near cache
                pages.get("home", NearCachedPages::render);
            }
            elsewhere.put("home", "version 2"); // as another process would do
            while (!pages.get("home", NearCachedPages::render).equals("version 2")) {
                Thread.onSpinWait(); // the report of the server arrives after about half a round trip
            }
            System.out.println("answers from this process: " + (pages.stats().nearHits() >= 1_000));
            System.out.println("home: " + pages.get("home", NearCachedPages::render));
            pages.remove("home");
        }
        // end
    }

    private static String render(String page) {
        return "rendered " + page;
    }
}
