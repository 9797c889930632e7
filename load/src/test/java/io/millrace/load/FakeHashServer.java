// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.millrace.testkit.Answer;
import io.millrace.testkit.Handler;
import io.millrace.testkit.ReceivedCommand;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A fake server that stores hashes in a map. It supports {@code HIMPORT} with field sets per connection, and the
 * loader's scripts that replace a hash and read it back. The server decodes bytes as Latin-1 text and encodes them in
 * the same way, so that no byte changes.
 */
final class FakeHashServer implements Handler {

    static final String UNKNOWN = "-ERR unknown command\r\n";
    static final String NOPERM = "-NOPERM User app has no permissions to run the 'himport|set' command\r\n";

    private static final String OK = "+OK\r\n";
    private static final String WRONGTYPE = "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n";

    private final boolean imports;
    private final Function<ReceivedCommand, Optional<Answer>> faults;

    // The monitor of this object guards all of the following fields.
    private final Map<String, Map<String, String>> hashes = new TreeMap<>();
    private final Set<String> strings = new HashSet<>();
    private final Set<String> expiring = new HashSet<>();
    private final Map<String, List<String>> fieldSets = new HashMap<>();

    /**
     * Creates a server.
     *
     * @param imports whether the server has {@code HIMPORT}
     * @param faults decides for each command: a reply that the server sends instead of executing the command; empty if
     *     the server executes the command
     */
    FakeHashServer(boolean imports, Function<ReceivedCommand, Optional<Answer>> faults) {
        this.imports = imports;
        this.faults = faults;
    }

    /** A server with {@code HIMPORT} and without faults. */
    static FakeHashServer importing() {
        return new FakeHashServer(true, command -> Optional.empty());
    }

    /** Stores a string under {@code key}. */
    synchronized void putString(String key) {
        hashes.remove(key);
        strings.add(key);
    }

    /** Stores a hash with an expiry under {@code key}. */
    synchronized void putExpiring(String key, Map<String, String> fields) {
        hashes.put(key, new TreeMap<>(fields));
        expiring.add(key);
    }

    /** Deletes the field sets of all connections, as {@code RESET} does. */
    synchronized void forgetFieldSets() {
        fieldSets.clear();
    }

    synchronized Map<String, Map<String, String>> hashes() {
        return new TreeMap<>(hashes);
    }

    synchronized Set<String> strings() {
        return Set.copyOf(strings);
    }

    synchronized Set<String> expiring() {
        return Set.copyOf(expiring);
    }

    @Override
    public synchronized Answer answer(ReceivedCommand command) {
        return faults.apply(command).orElseGet(() -> Answer.reply(reply(command).getBytes(ISO_8859_1)));
    }

    private String reply(ReceivedCommand command) {
        List<String> words = command.arguments().stream()
                .map(word -> new String(word, ISO_8859_1))
                .toList();
        return switch (words.getFirst().toUpperCase(Locale.ROOT)) {
            case "INFO" -> bulk("redis_version:8.10.0\r\nredis_mode:standalone\r\n");
            case "COMMAND" -> imports ? "*1\r\n*1\r\n" + bulk("himport") : "*1\r\n_\r\n";
            case "PEXPIRE" -> ":0\r\n";
            case "HIMPORT" -> imports ? himport(words, "#" + command.connection() + " " + words.get(2)) : UNKNOWN;
            case "EVAL" -> words.get(1).contains("HMGET") ? readBack(words) : replace(words);
            case "EVALSHA" -> replace(words);
            default -> UNKNOWN;
        };
    }

    private String himport(List<String> words, String preparedName) {
        if (words.get(1).equals("PREPARE")) {
            List<String> fields = words.subList(3, words.size());
            if (Set.copyOf(fields).size() < fields.size()) {
                return "-ERR duplicate field name in fieldset\r\n";
            }
            fieldSets.put(preparedName, fields);
            return OK;
        }
        String key = words.get(2);
        if (strings.contains(key)) {
            return WRONGTYPE;
        }
        List<String> fields = fieldSets.get(preparedName.substring(0, preparedName.indexOf(' ') + 1) + words.get(3));
        List<String> values = words.subList(4, words.size());
        if (fields == null) {
            return "-ERR no such fieldset\r\n";
        }
        if (fields.size() != values.size()) {
            return "-ERR value count does not match fieldset field count\r\n";
        }
        Map<String, String> hash = new TreeMap<>();
        for (int i = 0; i < fields.size(); i++) {
            hash.put(fields.get(i), values.get(i));
        }
        put(key, hash);
        return OK;
    }

    /** EVAL script n key …, and for each key: ttl count field value …. Replaces each key. */
    private String replace(List<String> words) {
        int keys = Integer.parseInt(words.get(2));
        int at = 3 + keys;
        for (String key : words.subList(3, at)) {
            int end = at + 2 + Math.abs(Integer.parseInt(words.get(at + 1)));
            Map<String, String> hash = new TreeMap<>();
            for (int i = at + 2; i < end; i += 2) {
                hash.put(words.get(i), words.get(i + 1));
            }
            put(key, hash);
            at = end;
        }
        return keys == 1 ? ":1\r\n" : "*" + keys + "\r\n" + ":1\r\n".repeat(keys);
    }

    private void put(String key, Map<String, String> hash) {
        strings.remove(key);
        expiring.remove(key);
        hashes.put(key, hash);
    }

    /** EVAL script 1 key field …: replies with the expiry, the number of fields and the values. */
    private String readBack(List<String> words) {
        Map<String, String> hash = hashes.getOrDefault(words.get(3), Map.of());
        List<String> values = new ArrayList<>();
        for (String field : words.subList(4, words.size())) {
            String value = hash.get(field);
            values.add(value == null ? "_\r\n" : bulk(value));
        }
        long pttl = expiring.contains(words.get(3)) ? 1_000 : -1;
        return "*3\r\n:" + pttl + "\r\n:" + hash.size() + "\r\n*" + values.size() + "\r\n"
                + values.stream().collect(Collectors.joining());
    }

    private static String bulk(String text) {
        return "$" + text.length() + "\r\n" + text + "\r\n";
    }
}
