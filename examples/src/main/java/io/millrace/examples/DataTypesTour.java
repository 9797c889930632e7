// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.HyperLogLogs;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Lists;
import io.millrace.client.command.ScoredMember;
import io.millrace.client.command.Sets;
import io.millrace.client.command.SortedRange;
import io.millrace.client.command.SortedSets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Uses five data types of Redis: a shopping cart in a hash, tags in sets, a leaderboard in a sorted set, the latest
 * updates in a list, and the number of visitors in HyperLogLogs.
 */
public final class DataTypesTour {

    static final String CART = "example:cart:4711";
    static final String BOOK = "example:tags:book";
    static final String COURSE = "example:tags:course";
    static final String SCORES = "example:scores";
    static final String UPDATES = "example:updates";
    static final String MONDAY = "example:visitors:monday";
    static final String TUESDAY = "example:visitors:tuesday";

    private DataTypesTour() {}

    public static void main(String[] args) {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            System.out.println(cart(client));
            System.out.println(tags(client));
            System.out.println(leaderboard(client));
            System.out.println(updates(client));
            System.out.println(visitors(client));
            client.call(Keys.delete(CART, BOOK, COURSE, SCORES, UPDATES, MONDAY, TUESDAY));
        }
    }

    static String cart(RedisClient client) {
        // snippet: cart
        client.call(Hashes.set(CART, Map.of("book", "1", "pen", "2"))); // product and quantity
        long pens = client.call(Hashes.increment(CART, "pen", 3)); // also correct with concurrent callers
        client.call(Hashes.delete(CART, "book"));
        client.call(Keys.expire(CART, Duration.ofDays(7))); // Redis deletes the cart after seven days
        Map<String, String> cart = client.call(Hashes.getAll(CART));
        // end
        return "cart: " + cart + ", pens: " + pens;
    }

    static String tags(RedisClient client) {
        // snippet: tags
        client.call(Sets.add(BOOK, "redis", "java", "redis")); // a set contains each member once
        client.call(Sets.add(COURSE, "java", "beginners"));
        boolean forBeginners = client.call(Sets.contains(BOOK, "beginners"));
        Set<String> common = client.call(Sets.intersection(BOOK, COURSE));
        long number = client.call(Sets.size(BOOK));
        // end
        return "tags: " + number + ", for beginners: " + forBeginners + ", in common: " + common;
    }

    static String leaderboard(RedisClient client) {
        // snippet: leaderboard
        client.call(SortedSets.add(SCORES, Map.of("Ada", 300.0, "Grace", 250.0, "Radia", 180.0)));
        client.call(SortedSets.increment(SCORES, 100, "Radia"));
        SortedRange firstTwo = SortedRange.ofRanks(0, 1).reversed();
        List<ScoredMember<String>> best = client.call(SortedSets.rangeWithScores(SCORES, firstTwo));
        Optional<Long> rank = client.call(SortedSets.reverseRank(SCORES, "Grace")); // 0 is the highest score
        // end
        return "best: " + best + ", rank of Grace: " + rank.orElseThrow();
    }

    static String updates(RedisClient client) {
        // snippet: updates
        for (String update : List.of("one", "two", "three", "four")) {
            client.call(Lists.pushLeft(UPDATES, update));
            client.call(Lists.trim(UPDATES, 0, 2)); // keeps the three latest updates
        }
        List<String> latest = client.call(Lists.range(UPDATES, 0, 2)); // the latest update is the first
        // end
        return "latest: " + latest;
    }

    static String visitors(RedisClient client) {
        // snippet: visitors
        client.call(HyperLogLogs.add(MONDAY, "Ada", "Grace", "Ada")); // a second visit changes nothing
        client.call(HyperLogLogs.add(TUESDAY, "Grace", "Radia"));
        long monday = client.call(HyperLogLogs.count(MONDAY));
        long both = client.call(HyperLogLogs.count(MONDAY, TUESDAY)); // visitors of at least one day
        // end
        return "visitors on Monday: " + monday + ", on Monday or Tuesday: " + both;
    }
}
