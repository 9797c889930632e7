// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.Setting;
import io.millrace.client.command.Keys;
import io.millrace.client.command.ScanOptions;
import io.millrace.client.command.ScanPage;
import io.millrace.client.exception.RedisException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;

/**
 * Stores which ids were active in which time span. For each event (such as {@code login}) and each span (such as a
 * day), an activity stores the set of marked ids.
 *
 * <pre>{@code
 * Activity active = Activity.of(client, "site", ActivityOptions.DEFAULT.expireAfter(Duration.ofDays(400)));
 * active.mark("login", userId, clock.instant());
 * long thisMonth = active.count(SetExpression.active("login", Span.month(month)));
 * }</pre>
 *
 * <p>Marking is idempotent: if a call fails or its outcome is unknown, the caller can mark again. All keys of an
 * activity are in one hash slot. Thread-safe. Methods block until the server replies. They throw a {@link
 * RedisException} if a command fails or the server does not reply, and a {@link BitmapException} if the stored values
 * are not valid, or if the activity exists with another granularity or encoding.
 */
public final class Activity {

    private final RedisClient client;
    private final ActivityHeader header;
    private final ActivityOptions options;
    private final ActivityStore activityStore;

    private Activity(RedisClient client, ActivityHeader header, ActivityOptions options, ActivityStore activityStore) {
        this.client = client;
        this.header = header;
        this.options = options;
        this.activityStore = activityStore;
    }

    /**
     * Returns the activity {@code name}. Does not access the server. The first mark creates the activity if the activity
     * does not exist. The first calls compare the options with the options of an existing activity.
     *
     * @param name 1 to 512 characters. It must not begin with a closing brace or contain {@code :activity:}. The keys
     *     of the activity begin with the name and {@code :activity}. If the name contains a hash tag, the keys have
     *     this hash tag. Otherwise the whole name is the hash tag
     */
    public static Activity of(RedisClient client, String name, ActivityOptions options) {
        return of(client, name, options, () -> ThreadLocalRandom.current().nextLong());
    }

    /** For tests: the caller passes the source of random numbers. */
    static Activity of(RedisClient client, String name, ActivityOptions options, LongSupplier random) {
        ActivityHeader header = new ActivityHeader(client, name, options);
        String prefix = header.key() + ":";
        ActivityStore activityStore = switch (options.encoding()) {
            case BITMAP, CHUNKED ->
                new BitmapStore(client, prefix, options, () -> Long.toHexString(random.getAsLong()));
            case COMPRESSED -> new CompressedStore(client, prefix, options, random);
            case SET -> new SetStore(client, prefix, options);
        };
        return new Activity(client, header, options, activityStore);
    }

    /**
     * Returns the activity {@code name} if the activity exists. Its granularity and its encoding are the stored ones, and
     * all other options are taken from {@code options}.
     *
     * @param name see {@link #of}
     * @throws BitmapException if another version of this library has stored the activity
     */
    public static Optional<Activity> find(RedisClient client, String name, ActivityOptions options) {
        return ActivityHeader.find(client, name, options).map(found -> of(client, name, found));
    }

    /** Returns the encoding. */
    public Encoding encoding() {
        return options.encoding();
    }

    /** Returns the granularity: the length of the stored spans. */
    public Granularity granularity() {
        return options.granularity();
    }

    /**
     * Marks {@code event} for {@code id} at {@code instant}. Returns whether the mark is new in its span. The span is
     * determined in the {@linkplain ActivityOptions#zone zone of the activity}: see {@link Span#of(Granularity, Instant,
     * ZoneId)}.
     */
    public boolean mark(String event, long id, Instant instant) {
        return mark(event, id, instant, options.zone());
    }

    /** Marks {@code event} for {@code id}, as {@link #mark(String, long, Instant)} does, with the day in {@code zone}. */
    public boolean mark(String event, long id, Instant instant, ZoneId zone) {
        return mark(event, id, Span.of(options.granularity(), instant, zone));
    }

    /**
     * Marks {@code event} for {@code id} on {@code day}. Returns whether the mark is new.
     *
     * @throws IllegalArgumentException if the granularity is {@link Granularity#HOUR}
     */
    public boolean mark(String event, long id, LocalDate day) {
        if (options.granularity() == Granularity.HOUR) {
            throw new IllegalArgumentException("the granularity of the activity is HOUR, so a mark needs a time: event="
                    + event + ", day=" + day + ". Pass a LocalDateTime.");
        }
        return mark(event, id, day.atStartOfDay());
    }

    /** Marks {@code event} for {@code id} at {@code time}. Returns whether the mark is new in its span. */
    public boolean mark(String event, long id, LocalDateTime time) {
        return mark(event, id, Span.of(options.granularity(), time));
    }

    private boolean mark(String event, long id, Span span) {
        EventSpan eventSpan = source(event, span);
        long legal = checked(id);
        header.checkBeforeWrite();
        return activityStore.mark(eventSpan, legal);
    }

    /**
     * Adds all {@code marks} of {@code event} in one pipeline. Returns the number of marks that are new in their spans.
     */
    public long mark(String event, Collection<Mark> marks) {
        Map<EventSpan, LongStream.Builder> ids = new LinkedHashMap<>();
        for (Mark mark : marks) {
            Span span = Span.of(options.granularity(), mark.time());
            ids.computeIfAbsent(source(event, span), added -> LongStream.builder())
                    .add(checked(mark.id()));
        }
        Map<EventSpan, long[]> arrays = new LinkedHashMap<>();
        ids.forEach(
                (eventSpan, builder) -> arrays.put(eventSpan, builder.build().toArray()));
        header.checkBeforeWrite();
        return activityStore.mark(arrays);
    }

    /**
     * Adds a history of marks. The history can have any length and any order. The client collects marks in up to {@link
     * ActivityOptions#historyBytes} of memory, and then sends the collected marks as blocks of bits. If other clients
     * add marks at the same time, these marks are kept.
     */
    public LoadCounts load(String event, Iterator<Mark> history) {
        HistoryLoad loading = newLoad(event);
        while (history.hasNext()) {
            Mark mark = history.next();
            loading.add(mark.time(), mark.id());
        }
        return loading.end();
    }

    /** Marks {@code event} for all {@code ids} in one span, like {@link #load(String, Iterator)}. */
    public LoadCounts load(String event, Span span, LongStream ids) {
        HistoryLoad loading = newLoad(event);
        requireGranularity(span);
        ids.sequential().forEach(id -> loading.add(span.start(), id));
        return loading.end();
    }

    /** Returns whether {@code event} is marked for {@code id} in {@code span}. */
    public boolean contains(String event, Span span, long id) {
        Setting.checkArgument("id", id, 0, Long.MAX_VALUE);
        header.checkBeforeRead();
        return activityStore.contains(sources(event, span), id);
    }

    /** Returns the number of ids in {@code setExpression}. */
    public long count(SetExpression setExpression) {
        header.checkBeforeRead();
        return activityStore.count(List.of(setExpression)).getFirst();
    }

    /** Returns the number of active ids in each span, in the order of {@code spans}. */
    public Map<Span, Long> counts(String event, List<Span> spans) {
        header.checkBeforeRead();
        List<Long> counted = activityStore.count(each(event, spans));
        Map<Span, Long> counts = new LinkedHashMap<>();
        for (int i = 0; i < counted.size(); i++) {
            counts.put(spans.get(i), counted.get(i));
        }
        return counts;
    }

    /**
     * Returns the ids of {@code setExpression}, ascending. The stream fetches data from the server while the caller
     * reads the stream. The caller must read the stream to its end, or close the stream. Until then the server may
     * store a temporary result, which expires one minute after the last read.
     */
    public LongStream members(SetExpression setExpression) {
        header.checkBeforeRead();
        return activityStore.members(setExpression);
    }

    /**
     * Returns the retention table of {@code spans}. Each row counts the ids that were active in one span, and how many
     * of these ids were active in each later span. If a mark is added while the client fetches the bits, it is
     * undefined whether the table counts the mark.
     *
     * @param spans 1 to 1,000 spans, in the order of the columns
     */
    public RetentionTable retention(String event, List<Span> spans) {
        Setting.checkArgument("spans", spans.size(), 1, 1_000);
        header.checkBeforeRead();
        List<SetExpression> active = each(event, spans);
        return RetentionTable.of(spans, activityStore.intersectionCounts(active, active));
    }

    /**
     * Returns the cohort table of {@code spans}. An id belongs to one cohort only: the cohort of the first span in
     * which the id was active.
     */
    public RetentionTable cohorts(String event, List<Span> spans) {
        Setting.checkArgument("spans", spans.size(), 1, 1_000);
        header.checkBeforeRead();
        List<SetExpression> active = each(event, spans);
        List<SetExpression> first = new ArrayList<>();
        for (int i = 0; i < active.size(); i++) {
            first.add(i == 0 ? active.get(i) : active.get(i).except(SetExpression.active(event, spans.subList(0, i))));
        }
        return RetentionTable.of(spans, activityStore.intersectionCounts(first, active));
    }

    /** Returns the server memory of {@code event} in {@code span}, in bytes. {@link MemoryEstimate} predicts it. */
    public long memoryBytes(String event, Span span) {
        header.checkBeforeRead();
        Pipeline pipeline = client.pipeline();
        List<Result<Optional<Long>>> sizes = sources(event, span).stream()
                .flatMap(eventSpan -> activityStore.keys(eventSpan).stream())
                .map(key -> pipeline.add(Keys.memoryUsage(key)))
                .toList();
        pipeline.run();
        return sizes.stream().mapToLong(size -> size.value().orElse(0L)).sum();
    }

    /** Deletes all marks of {@code event} in {@code span}. */
    public void clear(String event, Span span) {
        header.checkBeforeRead();
        activityStore.clear(sources(event, span));
    }

    /**
     * Deletes the activity. This method finds the keys with SCAN over the whole database. In a Redis Cluster, this
     * method scans only one server.
     */
    public void delete() {
        ScanOptions scanOptions =
                ScanOptions.DEFAULT.withMatch(escaped(header.key() + ":") + "*").withCount(1_000);
        String cursor = ScanPage.START;
        boolean last = false;
        while (!last) {
            ScanPage<List<String>> page = client.call(Keys.scan(cursor, scanOptions));
            unlink(page.found());
            cursor = page.cursor();
            last = page.last();
        }
        unlink(List.of(header.key()));
        header.deleted();
    }

    static String event(String name) {
        return KeyNames.checkLength("event", name);
    }

    private HistoryLoad newLoad(String event) {
        String legal = event(event);
        header.checkBeforeWrite();
        return new HistoryLoad(legal, options, activityStore, this::checked);
    }

    private EventSpan source(String event, Span span) {
        return new EventSpan(event(event), span);
    }

    private long checked(long id) {
        if (id < 0 || id > activityStore.maxId()) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "id=%,d is out of range: 0 to %,d in encoding %s.",
                    id,
                    activityStore.maxId(),
                    options.encoding()));
        }
        return id;
    }

    private void requireGranularity(Span span) {
        if (span.granularity() != options.granularity()) {
            throw new IllegalArgumentException("the span and the activity have different granularities: span=" + span
                    + ", granularity=" + options.granularity() + ". Pass a span of this granularity.");
        }
    }

    private static List<SetExpression> each(String event, List<Span> spans) {
        return spans.stream().map(span -> SetExpression.active(event, span)).toList();
    }

    private List<EventSpan> sources(String event, Span span) {
        return span.split(options.granularity()).stream()
                .map(part -> source(event, part))
                .toList();
    }

    private void unlink(List<String> keys) {
        if (!keys.isEmpty()) {
            client.call(Keys.unlink(keys.toArray(String[]::new)));
        }
    }

    /** Returns {@code text} as a glob pattern that matches only this text. Special characters are escaped. */
    private static String escaped(String text) {
        return text.replaceAll("[\\\\*?\\[\\]^-]", "\\\\$0");
    }
}
