// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Work;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A cache of one library, and how the library is used.
 *
 * @param description library, mode, calls and settings, documentation
 * @param promise number of computations that the lab requires; a round with more fails
 * @param near whether the cache also keeps entries in the process
 */
record CacheLibrary(Description description, Promise promise, boolean near, Opener opener) {

    /** What a cache promises about concurrent computations of one key. */
    enum Promise {
        /** The lab reports the number of computations, and requires none. */
        NONE,
        ONE_PER_PROCESS,
        ONE_IN_ALL;

        boolean isKept(List<Integer> computationsByProcess) {
            int all = computationsByProcess.stream().mapToInt(Integer::intValue).sum();
            return switch (this) {
                case NONE -> true;
                case ONE_PER_PROCESS -> Collections.max(computationsByProcess) <= 1 && all >= 1;
                case ONE_IN_ALL -> all == 1;
            };
        }
    }

    @FunctionalInterface
    interface Opener {

        /**
         * Opens a cache whose connections are open when the method returns.
         *
         * @param target {@link Target#connections} counts only for libraries that need a connection for each command in
         *     flight
         * @param timeToLive how long a computed text lives
         */
        CacheAdapter open(Target target, Duration timeToLive) throws Exception;
    }

    /** The plain way of each library. */
    static final List<CacheLibrary> PLAIN =
            List.of(JedisCache.LOOP, SpringCache.CACHEABLE, RedissonCache.BUCKET, MillraceCache.CACHE);

    /** What the libraries offer against several computations of one text at the same time, and the plain ways. */
    static final List<CacheLibrary> CONCURRENT = joined(
            PLAIN,
            List.of(SpringCache.SYNC, SpringCache.SYNC_LOCKING, RedissonCache.COMPUTING, MillraceCache.WITH_LEASE));

    /** The plain ways, and those of them that fail without Redis by default, as careful programs write them. */
    static final List<CacheLibrary> PLAIN_AND_GUARDED = joined(PLAIN, List.of(JedisCache.GUARDED, SpringCache.GUARDED));

    static final List<CacheLibrary> NEAR =
            List.of(JedisCache.CLIENT_SIDE, LettuceCache.CLIENT_SIDE, RedissonCache.LOCAL_MAP, MillraceCache.NEAR);

    /** {@code GET} without a cache, and the plain ways. */
    static final List<CacheLibrary> BARE_AND_PLAIN = joined(List.of(MillraceCache.BARE), PLAIN);

    static final List<CacheLibrary> ALL = Stream.of(BARE_AND_PLAIN, CONCURRENT, PLAIN_AND_GUARDED, NEAR)
            .flatMap(List::stream)
            .distinct()
            .toList();

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

    static CacheLibrary named(String label) {
        return ALL.stream()
                .filter(library -> library.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such cache: label=" + label + ". There are: "
                        + ALL.stream().map(CacheLibrary::label).toList()));
    }

    /** A contender that does {@code work} with this cache. {@code note} is added to the note of the library. */
    JvmContender contender(String mode, String note, Work work) {
        var full = new Description(
                description.library(),
                mode,
                description.note() + "; " + note,
                description.documentation(),
                description.unfair(),
                description.isReference());
        return new JvmContender(full, work, List.of(), CacheLibrary::missing);
    }

    private static Optional<String> missing(Target target) {
        return target.cluster()
                        || target.socket().isPresent()
                        || target.certificate().isPresent()
                ? Optional.of("caches are measured over TCP without TLS, on one server")
                : Optional.empty();
    }
}
