// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples.spring;

import io.millrace.client.Outcome;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.Transaction;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Strings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** What applications do with {@code RedisTemplate}, with the client of Millrace. */
@Component
class FromRedisTemplate {

    private final RedisClient redis;

    FromRedisTemplate(RedisClient redis) {
        this.redis = redis;
    }

    // snippet: hash-with-ttl
    /** Writes a map into one hash, with an expiry, in one round trip. No other client sees the hash without its expiry. */
    void putAll(String key, Map<String, String> fields, Duration timeToLive) {
        Transaction transaction = redis.transaction();
        Result<Long> added = transaction.add(Hashes.set(key, fields));
        transaction.add(Keys.expire(key, timeToLive));
        transaction.run();
        added.value(); // throws the error of the server, if the key has another type
    }
    // end

    // snippet: pipelined
    /** Reads many keys in one round trip. The values have the order of the keys. */
    List<Optional<String>> values(List<String> keys) {
        Pipeline pipeline = redis.pipeline();
        List<Result<Optional<String>>> results = new ArrayList<>();
        for (String key : keys) {
            results.add(pipeline.add(Strings.get(key)));
        }
        pipeline.run();
        return results.stream().map(Result::value).toList();
    }
    // end

    // snippet: many-lists
    /** The elements of the lists, and the reasons of the lists that failed. */
    record Popped(Map<String, List<String>> elements, Map<String, Outcome> failed) {}

    /** Pops up to {@code count} elements from each list. A list that fails does not hide the elements of the others. */
    Popped popAll(List<String> lists, long count) {
        Pipeline pipeline = redis.pipeline();
        Map<String, Result<List<String>>> results = new LinkedHashMap<>();
        for (String list : new LinkedHashSet<>(lists)) {
            results.put(list, pipeline.add(Lists.popLeft(list, count)));
        }
        pipeline.run();
        Popped popped = new Popped(new LinkedHashMap<>(), new LinkedHashMap<>());
        results.forEach((list, result) -> {
            if (result.ok()) {
                popped.elements.put(list, result.value());
            } else {
                popped.failed.put(list, result.outcome());
            }
        });
        return popped;
    }
    // end
}
