// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import io.millrace.client.RedisUri;
import io.millrace.load.CheckpointOptions;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadPlan;
import io.millrace.load.source.RowSource;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Masks the parts of the messages of one job that must not leave the server: addresses of databases and servers, paths, and SQL;
 * and messages about rejected rows, if values are hidden. A message without these parts stays readable.
 *
 * <p>DESIGN. The texts that the server knows are replaced first, wherever they occur: the address of Redis, the name of the
 * source, its query, and the paths of the options. Then a pattern replaces what looks like an address, a path or SQL, such as
 * the address to which a server has redirected a command. The text of a database driver is left out as a whole: it may quote
 * any part of a query. The log of the server has this text. The message about a rejected row is left out as a whole, too: it
 * may quote a value of the row.
 */
final class TextMask {

    private static final String MASK = "***";

    /** A shorter text, such as a host of one letter, would also replace parts of sentences. */
    private static final int MIN_LENGTH = 2;

    /** The words before and after the text of a driver in a message of the loader. */
    private static final Pattern BEFORE_DRIVER = Pattern.compile("failed after \\d+ rows(?= \\()");

    private static final String AFTER_DRIVER = "). The rows";

    /**
     * Characters in which {@link #LOOKS_SECRET} is looked for: the time grows with the square of the length. A text may quote a
     * value of any size.
     */
    private static final int MAX_CHARACTERS = 4_096;

    /** A rejected row in a sentence of the loader: the place of the row, its message, and the advice of the loader. */
    private static final Pattern REJECTED = Pattern.compile(
            "(?s)(\\b(?:rejected row|the last one): row \\d+(?: \\(line \\d+(?: of .*?)?\\)| of .*?)?: ).*?"
                    + "(\\.? Correct the cause, or allow these rows with a maximum of rejected rows \\(max-errors\\))?\\z");

    /**
     * The order matters: an address contains a path, and SQL may contain all others. Repetitions are possessive where they can be:
     * Java tries all lengths of another repetition, and takes a part of the stack for each repetition of a group.
     */
    private static final Pattern LOOKS_SECRET = Pattern.compile("(?is:\\bsql statement\\b.*)"
            + "|(?is:\\b(?:select\\s.+?\\sfrom\\b|insert\\s+into\\b|delete\\s+from\\b|update\\s+\\S+\\s+set\\b"
            + "|with\\s+\\w+\\s+as\\s*\\().*)"
            + "|\\bjdbc:\\S+"
            + "|\\b(?:(?:rediss?|valkeys?)(?:-sentinel|-cluster)?|unix)://\\S+"
            + "|(?<=\\bendpoint=)[^,\\s]+"
            + "|(?<![\\w/])(?:/[\\w.@+~-]+)++/?"
            + "|\\b[A-Za-z]:\\\\[^\\s:]+"
            + "|(?<![\\w.-])[\\w.-]+\\.(?:csv|tsv|json|ndjson|jsonl|parquet|db|sqlite|gz|zst)\\b"
            + "|(?<![A-Za-z0-9-])[A-Za-z0-9-]++(?:\\.[A-Za-z0-9-]++)++:\\d{2,5}\\b"
            + "|\\b[A-Za-z][A-Za-z0-9_-]*+:\\d{4,5}\\b"
            + "|\\[[0-9a-fA-F:.%\\w]+\\]:\\d{2,5}");

    /** Null if nothing is known. */
    private final @Nullable Pattern known;

    private final boolean hidesValues;

    private TextMask(Set<String> texts, boolean hidesValues) {
        this.hidesValues = hidesValues;
        String alternatives = texts.stream()
                .filter(text -> text.length() >= MIN_LENGTH)
                .sorted(Comparator.comparingInt(String::length).reversed())
                .map(TextMask::whole)
                .collect(Collectors.joining("|"));
        this.known = alternatives.isEmpty() ? null : Pattern.compile(alternatives);
    }

    /**
     * The mask of a job whose rows go to the server at {@code redis}.
     *
     * @param hidesValues whether messages about rejected rows are masked
     */
    static TextMask of(RedisUri redis, LoadPlan plan, boolean hidesValues) {
        Set<String> texts = new LinkedHashSet<>();
        addServer(texts, redis);
        addSource(texts, plan.source());
        LoadOptions options = plan.options();
        options.rejects().ifPresent(path -> addPath(texts, path));
        options.differences().ifPresent(path -> addPath(texts, path));
        Optional<Path> folder = options.checkpoint().map(CheckpointOptions::directory);
        folder.filter(path -> !path.toString().isEmpty()).ifPresent(path -> addPath(texts, path));
        return new TextMask(texts, hidesValues);
    }

    /** Whether the values of rows must not leave the server. */
    boolean hidesValues() {
        return hidesValues;
    }

    /** Returns the text with the masked parts. Leaves out the end of a long text. */
    String text(String text) {
        String shown = hidesValues ? REJECTED.matcher(text).replaceAll("$1" + MASK + "$2") : text;
        String masked =
                withoutDriver(known == null ? shown : known.matcher(shown).replaceAll(MASK));
        String first = masked.length() <= MAX_CHARACTERS ? masked : masked.substring(0, MAX_CHARACTERS) + "…";
        return LOOKS_SECRET.matcher(first).replaceAll(MASK);
    }

    private static String withoutDriver(String text) {
        int end = text.lastIndexOf(AFTER_DRIVER);
        Matcher before = BEFORE_DRIVER.matcher(text);
        return end >= 0 && before.find() && before.end() < end
                ? text.substring(0, before.end()) + text.substring(end + 1)
                : text;
    }

    private static void addServer(Set<String> texts, RedisUri redis) {
        texts.add(redis.toString());
        switch (redis.endpoint()) {
            case RedisUri.Tcp tcp -> addServer(texts, tcp);
            case RedisUri.Unix unix -> addPath(texts, unix.path());
            case RedisUri.Sentinels sentinels -> sentinels.addresses().forEach(each -> addServer(texts, each));
            case RedisUri.Cluster cluster -> cluster.nodes().forEach(each -> addServer(texts, each));
        }
    }

    private static void addServer(Set<String> texts, RedisUri.Tcp tcp) {
        texts.add(tcp.host() + ":" + tcp.port());
        texts.add("[" + tcp.host() + "]:" + tcp.port());
        texts.add(tcp.host());
    }

    private static void addSource(Set<String> texts, RowSource source) {
        addFile(texts, source.name());
        for (Map.Entry<String, String> fact : facts(source).entrySet()) {
            if (fact.getKey().equals("query")) {
                texts.add(fact.getValue());
                texts.add(fact.getValue().replaceAll("\\s+", " "));
            }
            int name = fact.getKey().indexOf(" of ");
            if (name >= 0) {
                addFile(texts, fact.getKey().substring(name + " of ".length()));
            }
        }
    }

    /** A source may read its files for this, and may fail. Its opening then reports the failure. */
    private static Map<String, String> facts(RowSource source) {
        try {
            return source.identity();
        } catch (RuntimeException unreadable) {
            return Map.of();
        }
    }

    /** Adds a name, and its last segment if the name is a path. */
    private static void addFile(Set<String> texts, String name) {
        texts.add(name);
        int slash = Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\'));
        texts.add(name.substring(slash + 1));
    }

    private static void addPath(Set<String> texts, Path path) {
        addFile(texts, path.toString());
        texts.add(path.toAbsolutePath().toString());
    }

    /** A text that is not a part of a longer word. */
    private static String whole(String text) {
        String begin = Character.isLetterOrDigit(text.charAt(0)) ? "(?<!\\w)" : "";
        String end = Character.isLetterOrDigit(text.charAt(text.length() - 1)) ? "(?!\\w)" : "";
        return begin + Pattern.quote(text) + end;
    }
}
