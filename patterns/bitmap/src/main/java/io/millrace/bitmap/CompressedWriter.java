// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.bitmap.CompressedSets.Added;
import io.millrace.bitmap.CompressedSets.Replaced;
import io.millrace.bitmap.CompressedSets.StoredIds;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/**
 * Adds marks to compressed sets. Thread-safe.
 *
 * <p>DESIGN. Only a client can change a compressed set, because the server cannot read the format. A client that changes
 * the set for each mark transfers the whole set twice for each mark, and clients that do so at the same time refuse each
 * other's changes. So a few marks go to a second key, a Redis set of recent marks: one short command for each call, which
 * never collides with another mark. The command must also find out whether a mark is new. For this purpose the client
 * keeps the compressed sets that it has used last, and the server checks the stamp of the compressed set. After another
 * client has changed the set, one caller fetches the set, and all other callers of this client wait for this fetch.
 *
 * <p>When there are {@link #MAX_RECENT} recent marks, the client whose mark has reached this number moves the recent
 * marks into the compressed set. If this client fails, another client moves them after as many marks again. Many marks of
 * one source go directly to the compressed set.
 */
final class CompressedWriter {

    /**
     * The number of recent marks that are moved together. The server stores a set of up to 512 numbers as an array, by
     * default. So this number of recent marks takes 3 KB, and the clients can add some marks during the move.
     */
    static final int MAX_RECENT = 400;

    /** Maximum number of attempts to replace a set, or to add recent marks. */
    private static final int MAX_ATTEMPTS = 1_000;

    /**
     * Maximum number of attempts to move recent marks. After these attempts, the next {@link #MAX_RECENT} marks cause
     * another move.
     */
    private static final int MAX_MOVE_ATTEMPTS = 3;

    /**
     * Maximum backoff after the first attempt. The maximum grows linearly to ten times this value after the tenth
     * attempt.
     */
    private static final long BACKOFF_NANOS = 1_000_000;

    private final CompressedSets sets;
    private final LongSupplier random;
    private final RecentlyUsedValues used;

    CompressedWriter(CompressedSets sets, LongSupplier random) {
        this.sets = sets;
        this.random = random;
        this.used = new RecentlyUsedValues(RecentlyUsedValues.MAX_BYTES);
    }

    /** Adds a few ids, at most {@link #MAX_RECENT}. */
    MarkCounts addFew(EventSpan eventSpan, long[] ids) {
        String key = sets.key(eventSpan);
        CompressedValue known = used.get(key);
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            CompressedValue tried = known;
            long[] unknown = Arrays.stream(ids)
                    .filter(id -> !tried.set().contains(id))
                    .distinct()
                    .toArray();
            Optional<Added> added = sets.addRecent(eventSpan, tried.stamp(), unknown);
            if (added.isPresent()) {
                moveIfMany(eventSpan, added.get());
                return MarkCounts.of(added.get().added(), unknown.length);
            }
            known = used.fetched(key, tried.stamp(), () -> sets.value(eventSpan));
        }
        throw tooManyAttempts(key);
    }

    /** Adds any number of ids. */
    MarkCounts addMany(EventSpan eventSpan, long[] ids) {
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            StoredIds before = read(eventSpan);
            Roaring64NavigableMap fresh = CompressedValue.emptySet();
            fresh.add(ids);
            fresh.andNot(before.all());
            if (fresh.isEmpty()) {
                return MarkCounts.NONE;
            }
            before.all().or(fresh);
            Optional<Replaced> replaced = replace(eventSpan, before);
            if (replaced.isPresent()) {
                return countedHere(fresh, replaced.get());
            }
            pause(attempt);
        }
        throw tooManyAttempts(sets.key(eventSpan));
    }

    private void moveIfMany(EventSpan eventSpan, Added added) {
        long before = added.recent() - added.added();
        if (added.added() <= 0 || added.recent() / MAX_RECENT <= before / MAX_RECENT) {
            return;
        }
        for (int attempt = 0; attempt < MAX_MOVE_ATTEMPTS; attempt++) {
            StoredIds stored = read(eventSpan);
            // After another client has moved the marks, only a few are left.
            if (stored.recent().length < MAX_RECENT
                    || replace(eventSpan, stored).isPresent()) {
                return;
            }
            pause(attempt);
        }
    }

    private StoredIds read(EventSpan eventSpan) {
        return sets.read(List.of(eventSpan)).values().iterator().next();
    }

    /** Stores {@code ids.all()} as the compressed set. */
    private Optional<Replaced> replace(EventSpan eventSpan, StoredIds ids) {
        CompressedValue value = new CompressedValue(sets.newStamp(), ids.all());
        Optional<Replaced> replaced = sets.replace(eventSpan, ids, value);
        replaced.ifPresent(done -> used.put(sets.key(eventSpan), value));
        return replaced;
    }

    /** Pauses for a random time, so that clients that change the same set do not collide again. */
    private void pause(int attempt) {
        LockSupport.parkNanos(Math.floorMod(random.getAsLong(), BACKOFF_NANOS * Math.min(attempt + 1, 10)));
    }

    /** Does not count the ids that another client has counted as recent marks. */
    private static MarkCounts countedHere(Roaring64NavigableMap fresh, Replaced replaced) {
        if (!replaced.stored()) {
            return new MarkCounts(0, fresh.getLongCardinality());
        }
        long counted =
                Arrays.stream(replaced.otherRecent()).filter(fresh::contains).count();
        return new MarkCounts(fresh.getLongCardinality() - counted, 0);
    }

    private static BitmapException tooManyAttempts(String key) {
        return new BitmapException("marks were not added to a compressed set, because another client replaced the set"
                + " during each attempt: key=" + key
                + ", attempts=" + MAX_ATTEMPTS + ". Load larger batches, or use another encoding.");
    }
}
