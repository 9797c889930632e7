// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Call by call, each waiting for its reply: what a library has to say for it is in {@link Commands}. */
record OneByOne(Commands commands) implements Idiom {

    /** A library's calls. Each returns with the reply, and throws if that is an error. */
    interface Commands extends AutoCloseable {

        void set(String key, String value) throws Exception;

        /** Null if there is none. */
        @Nullable
        String get(String key) throws Exception;

        void putField(String hash, String field, String value) throws Exception;

        void expire(String key, Duration timeToLive) throws Exception;

        /** Null if the list is empty. */
        @Nullable
        String pop(String list) throws Exception;

        @Override
        void close() throws Exception;
    }

    @Override
    public void set(List<Pair> pairs, int batch) throws Exception {
        for (var pair : pairs) {
            commands.set(pair.key(), pair.value());
        }
    }

    @Override
    public List<@Nullable String> get(List<String> keys, int batch) throws Exception {
        var values = new ArrayList<@Nullable String>(keys.size());
        for (var key : keys) {
            values.add(commands.get(key));
        }
        return values;
    }

    @Override
    public void putFields(String hash, List<Pair> fields, Duration timeToLive, int batch) throws Exception {
        for (var field : fields) {
            commands.putField(hash, field.key(), field.value());
        }
        commands.expire(hash, timeToLive);
    }

    @Override
    public List<@Nullable String> pop(List<String> lists, int pops, int batch) throws Exception {
        var popped = new ArrayList<@Nullable String>(lists.size() * pops);
        for (var list : lists) {
            for (int i = 0; i < pops; i++) {
                popped.add(commands.pop(list));
            }
        }
        return popped;
    }

    @Override
    public void close() throws Exception {
        commands.close();
    }
}
