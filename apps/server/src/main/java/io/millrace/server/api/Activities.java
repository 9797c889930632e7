// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import io.millrace.bitmap.Activity;
import io.millrace.bitmap.ActivityOptions;
import io.millrace.bitmap.Encoding;
import io.millrace.bitmap.Populations;
import io.millrace.client.RedisClient;
import io.millrace.server.gate.Problem;
import io.millrace.server.gate.Refusal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.springframework.stereotype.Component;

/**
 * The activities. An activity that exists keeps its options; a new one has days, and keeps its marks for 400 days.
 * Thread-safe.
 */
@Component
class Activities {

    /** Enough for a comparison with the same month of the last year. */
    private static final ActivityOptions NEW = ActivityOptions.keptFor(Duration.ofDays(400));

    private static final int KEPT = 16;

    private final RedisClient client;
    private final ReentrantLock lock = new ReentrantLock();

    /** The activities that were used last. Guarded by {@link #lock}. */
    private final Map<String, Activity> kept = new LinkedHashMap<>(KEPT, 0.75f, true);

    Activities(RedisClient client) {
        this.client = client;
    }

    /** Returns an activity for marks. The first mark creates it. */
    Activity forMarks(String name) {
        return lookup(name).orElseGet(() -> keep(name, Activity.of(client, name, NEW)));
    }

    /** Returns an activity that exists, or refuses the request. */
    Activity existing(String name) {
        return lookup(name).orElseThrow(() -> new Refusal(Problem.NOT_FOUND, "There is no such activity."));
    }

    private Optional<Activity> lookup(String name) {
        checkName(name);
        lock.lock();
        try {
            Activity found = kept.get(name);
            if (found != null) {
                return Optional.of(found);
            }
        } finally {
            lock.unlock();
        }
        return Activity.find(client, name).map(found -> keep(name, found));
    }

    /** Keeps an activity, unless its encoding remembers compressed sets: such an object may take 64 MB. */
    private Activity keep(String name, Activity activity) {
        if (activity.encoding() == Encoding.COMPRESSED) {
            return activity;
        }
        lock.lock();
        try {
            kept.put(name, activity);
            if (kept.size() > KEPT) {
                var unused = kept.remove(kept.keySet().iterator().next());
            }
        } finally {
            lock.unlock();
        }
        return activity;
    }

    private static void checkName(String name) {
        try {
            var unused = Populations.checkName(Names.check("activity", name));
        } catch (IllegalArgumentException unusable) {
            throw new Refusal(Problem.BAD_REQUEST, "activity is not a name of an activity.");
        }
    }
}
