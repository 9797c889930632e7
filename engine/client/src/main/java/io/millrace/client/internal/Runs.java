// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.Fusion;
import io.millrace.client.internal.ListingRun.Answer;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** The rules of fusion: what each kind of commands becomes, and what shape a command must have. */
final class Runs {

    /** What every server takes as a score; a command with anything else, such as an option, goes by itself. */
    private static final Pattern SCORE = Pattern.compile("[-+]?[0-9]{1,15}(\\.[0-9]{1,15})?");

    private Runs() {}

    /** A new run of {@code kind}. */
    static Run of(Fusion kind) {
        return switch (kind) {
            case SET -> ListingRun.ofKeys("MSET", Answer.WHOLE, exactly(2));
            case SET_EXPIRING -> new ExpiringRun();
            case GET -> ListingRun.ofKeys("MGET", Answer.ITEM, exactly(1));
            case HGET -> ListingRun.onKey("HMGET", Answer.ITEM, exactly(2));
            case LPOP -> new PoppingRun("LPOP");
            case RPOP -> new PoppingRun("RPOP");
            case LPUSH -> ListingRun.onKey("LPUSH", Answer.RUNNING_COUNT, atLeast(2));
            case RPUSH -> ListingRun.onKey("RPUSH", Answer.RUNNING_COUNT, atLeast(2));
            case APPEND -> new AppendingRun();
            case INCRBY -> new SummingRun();
            case SETBIT -> new BitRun();
            case SISMEMBER -> ListingRun.onKey("SMISMEMBER", Answer.ITEM, exactly(2));
            case ZSCORE -> ListingRun.onKey("ZMSCORE", Answer.ITEM, exactly(2));
            case HSET -> ListingRun.onKey("HSET", Answer.WHOLE, Runs::keyAndPairs);
            case HDEL -> ListingRun.onKey("HDEL", Answer.WHOLE, atLeast(2));
            case SADD -> ListingRun.onKey("SADD", Answer.WHOLE, atLeast(2));
            case SREM -> ListingRun.onKey("SREM", Answer.WHOLE, atLeast(2));
            case ZADD -> ListingRun.onKey("ZADD", Answer.WHOLE, Runs::keyAndScores);
            case ZREM -> ListingRun.onKey("ZREM", Answer.WHOLE, atLeast(2));
            case DEL -> ListingRun.ofKeys("DEL", Answer.WHOLE, atLeast(1));
            case UNLINK -> ListingRun.ofKeys("UNLINK", Answer.WHOLE, atLeast(1));
        };
    }

    private static Predicate<HeldArguments> exactly(int count) {
        return arguments -> arguments.count() == count;
    }

    private static Predicate<HeldArguments> atLeast(int count) {
        return arguments -> arguments.count() >= count;
    }

    private static boolean keyAndPairs(HeldArguments arguments) {
        return arguments.count() >= 3 && arguments.count() % 2 == 1;
    }

    private static boolean keyAndScores(HeldArguments arguments) {
        if (!keyAndPairs(arguments)) {
            return false;
        }
        for (int i = 1; i < arguments.count(); i += 2) {
            if (!arguments.isNumber(i) && !SCORE.matcher(arguments.latin(i)).matches()) {
                return false;
            }
        }
        return true;
    }
}
