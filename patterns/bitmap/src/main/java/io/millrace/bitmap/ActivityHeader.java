// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.command.SetOptions;
import io.millrace.client.command.Strings;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The header of an activity: a key whose value names the granularity and the encoding. The first write creates the
 * header. The first calls compare the header with the options. As soon as one comparison has succeeded, the header is not
 * read again. Thread-safe.
 */
final class ActivityHeader {

    private final RedisClient client;
    private final String name;
    private final String key;
    private final String layout;

    // Any thread writes this field. Two threads may compare the header at the same time, which does no harm.
    private volatile boolean checked;

    ActivityHeader(RedisClient client, String name, ActivityOptions options) {
        this.client = client;
        this.name = name;
        this.key = key(name);
        this.layout = layout(options);
    }

    /** Returns the key of the header of the activity {@code name}. The keys of the activity begin with this key. */
    static String key(String name) {
        return KeyNames.prefix(KeyNames.checkLength("name", name)) + KeyNames.ACTIVITY;
    }

    /**
     * Returns {@code options} with the granularity and the encoding of the existing activity {@code name}. Empty if the
     * activity does not exist.
     */
    static Optional<ActivityOptions> find(RedisClient client, String name, ActivityOptions options) {
        return client.call(Strings.get(key(name))).map(stored -> {
            String[] words = stored.split(" ", -1);
            try {
                ActivityOptions found = options.granularity(Granularity.valueOf(words[0]))
                        .encoding(Encoding.valueOf(words.length > 1 ? words[1] : ""));
                if (layout(found).equals(stored)) {
                    return found;
                }
            } catch (IllegalArgumentException e) {
                throw unknown(name, stored, e);
            }
            throw unknown(name, stored, null);
        });
    }

    /** Compares the header with the options if the header exists. An activity without a header has no marks. */
    void checkBeforeRead() {
        if (!checked) {
            client.call(Strings.get(key)).ifPresent(this::compare);
        }
    }

    /** Creates the header if the header does not exist. Compares the header with the options. */
    void checkBeforeWrite() {
        if (!checked) {
            Pipeline pipeline = client.pipeline();
            Result<Boolean> created = pipeline.add(Strings.set(key, layout, SetOptions.IF_ABSENT));
            Result<Optional<String>> existing = pipeline.add(Strings.get(key));
            pipeline.run();
            compare(created.value() ? layout : existing.value().orElse(layout));
        }
    }

    /** Tells that the header was deleted. The next write creates the header again. */
    void deleted() {
        checked = false;
    }

    String key() {
        return key;
    }

    private void compare(String existing) {
        if (!existing.equals(layout)) {
            throw new BitmapException("the activity exists with another granularity or encoding: name=" + name
                    + ", existing=" + existing + ", requested=" + layout
                    + ". Open the activity with the existing options, or delete the activity.");
        }
        checked = true;
    }

    /**
     * Returns the value of the header. The size of the chunks is part of the value, so that a program with another size
     * does not misread the chunks.
     */
    private static String layout(ActivityOptions options) {
        String layout = options.granularity() + " " + options.encoding();
        return options.encoding() == Encoding.CHUNKED ? layout + " " + BlockSize.CHUNK.bits() : layout;
    }

    private static BitmapException unknown(String name, String stored, @Nullable Throwable cause) {
        return new BitmapException(
                "the header of an activity has an unknown value: key=" + key(name) + ", value=" + stored
                        + ". Another program or another version has written the header.",
                cause);
    }
}
