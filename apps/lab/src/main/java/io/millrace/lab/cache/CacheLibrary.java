// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Work;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A cache of one library, and how the library is used.
 *
 * @param description library, mode, calls and settings, documentation
 * @param promise number of computations that the lab requires; a round with more fails
 * @param near whether the cache also keeps entries in the process
 * @param opener opens the cache
 */
record CacheLibrary(Description description, Promise promise, boolean near, Opener opener) {

    /** What a cache promises about concurrent computations of one key. */
    enum Promise {
        /** The lab reports the number of computations, and requires none. */
        NONE,
        /** At most one computation in each process. */
        ONE_PER_PROCESS,
        /** One computation in all processes together. */
        ONE_IN_ALL
    }

    /** Opens a cache whose connections are open when the method returns. */
    @FunctionalInterface
    interface Opener {

        /**
         * Opens a cache.
         *
         * @param target {@link Target#connections} counts only for libraries that need a connection for each command in
         *     flight
         * @param timeToLive how long a computed text lives
         */
        CacheAdapter open(Target target, Duration timeToLive) throws Exception;
    }

    /** The plain way of each library, and Redisson's two: a string for each entry, and a hash for all entries. */
    static final List<CacheLibrary> PLAIN = List.of(
            JedisCache.LOOP, SpringCache.CACHEABLE, RedissonCache.BUCKET, RedissonCache.MAP_CACHE, MillraceCache.CACHE);

    /** What the libraries offer against several computations of one text at the same time. */
    private static final List<CacheLibrary> COMPUTING_ONCE =
            List.of(SpringCache.SYNC, SpringCache.SYNC_LOCKING, RedissonCache.COMPUTING, MillraceCache.WITH_LEASE);

    /** The plain ways that fail without Redis by default, as careful programs write them. */
    private static final List<CacheLibrary> GUARDED = List.of(JedisCache.GUARDED, SpringCache.GUARDED);

    static final List<CacheLibrary> NEAR =
            List.of(JedisCache.CLIENT_SIDE, LettuceCache.CLIENT_SIDE, RedissonCache.LOCAL_MAP, MillraceCache.NEAR);

    /** {@code GET} without a cache, and the plain ways. */
    static final List<CacheLibrary> BARE_AND_PLAIN = joined(List.of(MillraceBare.BARE), PLAIN);

    static final List<CacheLibrary> PLAIN_AND_GUARDED = joined(PLAIN, GUARDED);

    /** All caches for many callers that request one missing text. */
    static final List<CacheLibrary> CONCURRENT = joined(PLAIN, COMPUTING_ONCE);

    static final List<CacheLibrary> ALL = joined(BARE_AND_PLAIN, joined(COMPUTING_ONCE, joined(GUARDED, NEAR)));

    private static List<CacheLibrary> joined(List<CacheLibrary> first, List<CacheLibrary> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    CacheLibrary(String library, String mode, Promise promise, String note, String documentation, Opener opener) {
        this(new Description(library, mode, note, documentation), promise, false, opener);
    }

    /** The same library as a near cache. */
    CacheLibrary asNear() {
        return new CacheLibrary(description, promise, true, opener);
    }

    /** Library and mode, such as {@code jedis/loop}. */
    String label() {
        return description.library() + "/" + description.mode();
    }

    /** The cache with this {@linkplain #label label}. */
    static CacheLibrary named(String label) {
        return ALL.stream()
                .filter(library -> library.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such cache: label=" + label + ". There are: "
                        + ALL.stream().map(CacheLibrary::label).toList()));
    }

    /** A contender that does {@code work} with this cache. {@code note} is added to the note of the library. */
    JvmContender contender(String note, Work work) {
        return contender(description.mode(), note, work);
    }

    JvmContender contender(String mode, String note, Work work) {
        return new JvmContender(
                new Description(
                        description.library(),
                        mode,
                        description.note() + "; " + note,
                        description.documentation(),
                        description.unfair()),
                work,
                List.of(),
                CacheLibrary::missing);
    }

    private static Optional<String> missing(Target target) {
        return target.cluster()
                        || target.socket().isPresent()
                        || target.certificate().isPresent()
                ? Optional.of("caches are measured over TCP without TLS, on one server")
                : Optional.empty();
    }
}
