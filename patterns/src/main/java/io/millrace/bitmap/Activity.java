// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Keys;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisException;
import io.millrace.client.Result;
import io.millrace.client.ScanOptions;
import io.millrace.client.ScanPage;
import io.millrace.client.SetOptions;
import io.millrace.client.Strings;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;

/**
 * Who was active when: of each event and span, such as {@code login} and a day, the ids for which it was marked.
 *
 * <pre>{@code
 * Activity active = Activity.of(client, "site", ActivityOptions.DEFAULT);
 * active.mark("login", userId, LocalDate.now(clock));
 * long thisMonth = active.count(Audience.active("login", Span.month(month)));
 * }</pre>
 *
 * <p>Marking is idempotent: what failed, or may have, is marked again without harm. All keys of an activity are in one hash slot of a
 * cluster. For any number of threads; methods block until the server has answered, and throw {@link RedisException} if it does not, or
 * {@link BitmapException} if what it has is not what it must be.
 */
public final class Activity {

    private final RedisClient client;
    private final String head;
    private final ActivityOptions options;
    private final Store store;

    private Activity(RedisClient client, String head, ActivityOptions options, Store store) {
        this.client = client;
        this.head = head;
        this.options = options;
        this.store = store;
    }

    /**
     * Opens the activity {@code name}, which begins to be with that.
     *
     * @param name 1 to 512 characters, no closing brace as the first of them, no part {@code :activity:}; the names of its keys begin with
     *     it, as hash tag of a cluster unless it has one itself, and with {@code :activity} then
     * @throws BitmapException if it is kept with another grain, or in another form
     */
    public static Activity of(RedisClient client, String name, ActivityOptions options) {
        return of(client, name, options, () -> ThreadLocalRandom.current().nextLong());
    }

    /** With chance of one's own, for tests. */
    static Activity of(RedisClient client, String name, ActivityOptions options, LongSupplier chance) {
        String head = KeyNames.prefix(Ranges.name("name", name)) + KeyNames.ACTIVITY;
        String prefix = head + ":";
        String layout = options.grain() + " " + options.form();
        Pipeline pipeline = client.pipeline();
        Result<Boolean> begun = pipeline.add(Strings.set(head, layout, SetOptions.IF_ABSENT));
        Result<Optional<String>> known = pipeline.add(Strings.get(head));
        pipeline.run();
        if (!begun.value() && !known.value().equals(Optional.of(layout))) {
            throw new BitmapException("an activity is kept otherwise: name=" + name + ", kept="
                    + known.value().orElse("") + ", asked=" + layout + ". Open it as it is kept, or delete it.");
        }
        Store store = switch (options.form()) {
            case BITMAP, CHUNKED ->
                new PackedStore(client, prefix, options, () -> Long.toHexString(chance.getAsLong()));
            case COMPRESSED -> new CompressedStore(client, prefix, options.grain(), chance);
        };
        return new Activity(client, head, options, store);
    }

    /** The form in which it is kept. */
    public Form form() {
        return options.form();
    }

    /** The finest spans that are told apart. */
    public Grain grain() {
        return options.grain();
    }

    /** Marks {@code event} for {@code id} on {@code day}, and says whether that is new. Not for what is kept by the hour. */
    public boolean mark(String event, long id, LocalDate day) {
        if (options.grain() == Grain.HOUR) {
            throw new IllegalArgumentException(
                    "a day has no hour, and hours are kept: event=" + event + ", day=" + day + ". Give a time.");
        }
        return mark(event, id, day.atStartOfDay());
    }

    /** Marks {@code event} for {@code id} at {@code time}, and says whether that is new in its span. */
    public boolean mark(String event, long id, LocalDateTime time) {
        return store.mark(Map.of(source(event, Span.of(options.grain(), time)), new long[] {checked(id)})) == 1;
    }

    /** Marks {@code event} for all of {@code marks}, in one pipeline, and answers how many are new in their spans. */
    public long mark(String event, Collection<Mark> marks) {
        Map<Source, LongStream.Builder> ids = new LinkedHashMap<>();
        for (Mark mark : marks) {
            ids.computeIfAbsent(source(event, Span.of(options.grain(), mark.time())), added -> LongStream.builder())
                    .add(checked(mark.id()));
        }
        Map<Source, long[]> arrays = new LinkedHashMap<>();
        ids.forEach((source, builder) -> arrays.put(source, builder.build().toArray()));
        return store.mark(arrays);
    }

    /**
     * Marks {@code event} for a history of any length, in any order: marks come together in this process, as many as
     * {@link ActivityOptions#historyBytes} hold, and are sent as whole pieces of bitmaps. What is marked meanwhile is kept.
     */
    public Loaded load(String event, Iterator<Mark> history) {
        History loading = new History(event);
        while (history.hasNext()) {
            Mark mark = history.next();
            loading.add(mark.time(), mark.id());
        }
        return loading.end();
    }

    /** The same for one span, of the grain that is kept. */
    public Loaded load(String event, Span span, LongStream ids) {
        History loading = new History(event);
        requireGrain(span);
        ids.sequential().forEach(id -> loading.add(span.start(), id));
        return loading.end();
    }

    /** Whether {@code event} was marked for {@code id} in {@code span}. */
    public boolean contains(String event, Span span, long id) {
        Ranges.check("id", id, 0, Long.MAX_VALUE);
        return store.contains(sources(event, span), id);
    }

    /** How many {@code audience} are. */
    public long count(Audience audience) {
        return store.count(List.of(audience)).getFirst();
    }

    /** How many were active in each of {@code spans}, in their order. */
    public Map<Span, Long> counts(String event, List<Span> spans) {
        List<Long> counted = store.count(
                spans.stream().map(span -> Audience.active(event, span)).toList());
        Map<Span, Long> counts = new LinkedHashMap<>();
        for (int i = 0; i < counted.size(); i++) {
            counts.put(spans.get(i), counted.get(i));
        }
        return counts;
    }

    /**
     * The ids of {@code audience}, ascending, fetched as the stream is read. Read it to its end, or close it: the server may keep a result
     * for it, though for no longer than a minute after it was last looked at.
     */
    public LongStream members(Audience audience) {
        return store.members(audience);
    }

    /**
     * Who came back, of those active in each of {@code spans}: in how many of the later ones. Marks that arrive while bits are fetched
     * may be counted or not.
     *
     * @param spans 1 to 1,000, in the order of the columns
     */
    public RetentionTable retention(String event, List<Span> spans) {
        Ranges.check("spans", spans.size(), 1, 1_000);
        List<Audience> active = each(event, spans);
        return RetentionTable.of(spans, store.common(active, active));
    }

    /** The same of those who were active in a span and in none of {@code spans} before it: each id is in one cohort. */
    public RetentionTable cohorts(String event, List<Span> spans) {
        Ranges.check("spans", spans.size(), 1, 1_000);
        List<Audience> active = each(event, spans);
        List<Audience> first = new ArrayList<>();
        for (int i = 0; i < active.size(); i++) {
            first.add(i == 0 ? active.get(i) : active.get(i).butNot(Audience.active(event, spans.subList(0, i))));
        }
        return RetentionTable.of(spans, store.common(first, active));
    }

    /** How many bytes of the server's memory {@code span} of {@code event} takes now; {@link MemoryEstimate} says it before. */
    public long memoryBytes(String event, Span span) {
        Pipeline pipeline = client.pipeline();
        List<Result<Optional<Long>>> sizes = sources(event, span).stream()
                .flatMap(source -> store.keys(source).stream())
                .map(key -> pipeline.add(Keys.memoryUsage(key)))
                .toList();
        pipeline.run();
        return sizes.stream().mapToLong(size -> size.value().orElse(0L)).sum();
    }

    /** Deletes what is marked for {@code event} in {@code span}. */
    public void forget(String event, Span span) {
        store.forget(sources(event, span));
    }

    /** Deletes the whole activity. Looks at all keys of the server's database, by SCAN: in a cluster, those of one server. */
    public void delete() {
        ScanOptions ours =
                ScanOptions.DEFAULT.withMatch(literally(head + ":") + "*").withCount(1_000);
        String cursor = ScanPage.START;
        boolean last = false;
        while (!last) {
            ScanPage<List<String>> page = client.call(Keys.scan(cursor, ours));
            unlink(page.found());
            cursor = page.cursor();
            last = page.last();
        }
        unlink(List.of(head));
    }

    static String event(String name) {
        return Ranges.name("event", name);
    }

    private Source source(String event, Span span) {
        return new Source(event(event), span);
    }

    private long checked(long id) {
        if (id < 0 || id > store.greatestId()) {
            throw new IllegalArgumentException("id is out of range: " + id + ". In form " + options.form()
                    + " it is from 0 to " + store.greatestId() + ".");
        }
        return id;
    }

    private void requireGrain(Span span) {
        if (span.grain() != options.grain()) {
            throw new IllegalArgumentException("a span of another grain is not marked: span=" + span + ", kept="
                    + options.grain() + ". Give one of that.");
        }
    }

    private static List<Audience> each(String event, List<Span> spans) {
        return spans.stream().map(span -> Audience.active(event, span)).toList();
    }

    private List<Source> sources(String event, Span span) {
        return span.in(options.grain()).stream()
                .map(part -> source(event, part))
                .toList();
    }

    private void unlink(List<String> keys) {
        if (!keys.isEmpty()) {
            client.call(Keys.unlink(keys.toArray(String[]::new)));
        }
    }

    /** {@code text} in a pattern, where it means itself. */
    private static String literally(String text) {
        return text.replaceAll("[\\\\*?\\[\\]^-]", "\\\\$0");
    }

    /** A history on its way. Belongs to one thread. */
    private final class History {

        private final String event;
        private final Store.Gathering gathering = store.gather();
        private long marks;
        private long added;

        // Where the last mark went: the next one is often of the same time.
        private LocalDateTime time = LocalDate.EPOCH.atStartOfDay();
        private Source source;

        History(String event) {
            this.event = event(event);
            this.source = source(event, Span.of(options.grain(), time));
        }

        void add(LocalDateTime at, long id) {
            if (!at.equals(time)) {
                time = at;
                Source next = source(event, Span.of(options.grain(), at));
                source = next.equals(source) ? source : next;
            }
            gathering.add(source, checked(id));
            marks++;
            if (gathering.bytes() >= options.historyBytes()) {
                added += gathering.send();
            }
        }

        Loaded end() {
            added += gathering.send();
            return new Loaded(marks, added);
        }
    }
}
