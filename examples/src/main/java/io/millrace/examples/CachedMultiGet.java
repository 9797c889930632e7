// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.cache.BulkFailures;
import io.millrace.cache.Cache;
import io.millrace.cache.CacheOptions;
import io.millrace.cache.LookupResults;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Reads many values at once. One query loads all values that are not cached. */
public final class CachedMultiGet {

    private static final Map<String, String> TABLE = Map.of("1", "Ada", "2", "Grace", "3", "Barbara");

    private CachedMultiGet() {}

    public static void main(String[] args) {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        // snippet: cached-multi-get
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri));
                Cache<String> users = Cache.of(client, "example:users", Codec.text(), CacheOptions.defaults())) {
            users.put("2", "Grace");

            List<String> ids = List.of("1", "2", "3", "4", "broken");
            LookupResults<String> results = users.getEach(ids, CachedMultiGet::query); // asks for 1, 3, 4 and broken

            System.out.println("values: " + results.values()); // user 4 does not exist
            results.failures().forEach((id, failure) -> System.out.println(id + ": " + failure.getCause()));
            users.removeAll(ids);
        }
        // end
    }

    // snippet: bulk-loader
    /** Runs one query for all ids. The result contains only the users that exist. */
    private static Map<String, String> query(Set<String> ids, BulkFailures failures) {
        Map<String, String> names = new TreeMap<>(TABLE);
        names.keySet().retainAll(ids);
        ids.stream()
                .filter(id -> !id.matches("\\d+"))
                .forEach(id -> failures.add(id, new IllegalArgumentException("not a number")));
        return names;
    }
    // end
}
