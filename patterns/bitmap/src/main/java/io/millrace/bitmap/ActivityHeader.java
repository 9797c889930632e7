// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.command.SetOptions;
import io.millrace.client.command.Strings;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The header of an activity: a key with the {@link StoredOptions}. A write creates the header if the header does not
 * exist. The first calls compare the header with the options, and fail if they differ. After a successful comparison the
 * header is not accessed for one minute. So a header that was lost is created again, and a changed header is noticed.
 *
 * <p>If only the expiry has changed since the first comparison, another client has called {@link Activity#keepFor} or
 * {@link Activity#keepForever}. This client then uses the new expiry. Thread-safe.
 */
final class ActivityHeader {

    /** Time from a successful comparison to the next. */
    static final Duration CHECK_INTERVAL = Duration.ofMinutes(1);

    private final RedisClient client;
    private final String name;
    private final String key;
    private final LongSupplier nanoTime;

    // Any thread writes these fields. Several threads may compare the header at the same time, which does no harm.
    private volatile StoredOptions options;
    private volatile boolean compared;
    private volatile long nextCheckNanos;

    /** @param nanoTime see {@link System#nanoTime} */
    ActivityHeader(RedisClient client, String name, ActivityOptions options, LongSupplier nanoTime) {
        this.client = client;
        this.name = name;
        this.key = key(name);
        this.nanoTime = nanoTime;
        this.options = StoredOptions.of(options);
        this.nextCheckNanos = nanoTime.getAsLong();
    }

    /** Returns the key of the header of the activity {@code name}. The keys of the activity begin with this key. */
    static String key(String name) {
        return KeyNames.prefix(KeyNames.checkLength("name", name)) + KeyNames.ACTIVITY;
    }

    /** Returns the stored options of the existing activity {@code name}. Empty if the activity does not exist. */
    static Optional<StoredOptions> find(RedisClient client, String name) {
        return client.call(Strings.get(key(name))).map(stored -> read(name, stored));
    }

    /** Compares the header with the options if the header exists. An activity without a header has no marks. */
    void checkBeforeRead() {
        if (isDue()) {
            client.call(Strings.get(key)).ifPresent(this::compare);
        }
    }

    /** Creates the header if the header does not exist. Compares the header with the options. */
    void checkBeforeWrite() {
        if (isDue()) {
            String text = options.text();
            Pipeline pipeline = client.pipeline();
            Result<Boolean> created = pipeline.add(Strings.set(key, text, SetOptions.IF_ABSENT));
            Result<Optional<String>> existing = pipeline.add(Strings.get(key));
            pipeline.run();
            compare(created.value() ? text : existing.value().orElse(text));
        }
    }

    /** Writes another expiry into the header; zero means never. Compares all other options first. */
    void changeExpiry(Duration after) {
        StoredOptions changed = options.expiring(after);
        client.call(Strings.get(key)).map(stored -> read(name, stored)).ifPresent(stored -> {
            if (!stored.expiring(after).equals(changed)) {
                throw differs(stored);
            }
        });
        client.call(Strings.set(key, changed.text()));
        accept(changed);
    }

    /** Tells that the header was deleted. The next write creates the header again. */
    void deleted() {
        nextCheckNanos = nanoTime.getAsLong();
    }

    String key() {
        return key;
    }

    /** Returns the current expiry of the spans. */
    SpanExpiry expiry() {
        return options.expiry();
    }

    private boolean isDue() {
        return nanoTime.getAsLong() - nextCheckNanos >= 0;
    }

    private void compare(String text) {
        StoredOptions stored = read(name, text);
        StoredOptions own = options;
        boolean isExpiryChanged = compared && stored.expiring(own.expireAfter()).equals(own);
        if (!isExpiryChanged && !stored.equals(own)) {
            throw differs(stored);
        }
        accept(stored);
    }

    private void accept(StoredOptions stored) {
        options = stored;
        compared = true;
        nextCheckNanos = nanoTime.getAsLong() + CHECK_INTERVAL.toNanos();
    }

    private BitmapException differs(StoredOptions stored) {
        return new BitmapException("the activity exists with other options: name=" + name + ", existing="
                + stored.text() + ", requested=" + options.text()
                + ". Open the activity with the existing options (Activity.find), change only the expiry with keepFor or"
                + " keepForever of the found activity, or delete the activity.");
    }

    private static StoredOptions read(String name, String text) {
        return StoredOptions.parse(text)
                .orElseThrow(() -> new BitmapException(
                        StoredOptions.hasOtherChunks(text)
                                ? "the activity has chunks of another size: key=" + key(name) + ", value=" + text
                                        + ", chunk="
                                        + BlockSize.CHUNK.bits()
                                        + ". Another version has stored the activity. Delete the activity and load it again."
                                : "the header of an activity has an unknown value: key=" + key(name) + ", value=" + text
                                        + ". Another program or another version has written the header."));
    }
}
