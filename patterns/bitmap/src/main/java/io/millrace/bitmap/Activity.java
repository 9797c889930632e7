// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.RedisClient;
import io.millrace.client.Setting;
import io.millrace.client.command.Keys;
import io.millrace.client.exception.RedisException;
import java.time.Duration;
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
 * Activity active = Activity.of(client, "site", ActivityOptions.keptFor(Duration.ofDays(400)));
 * active.mark("login", userId, clock.instant());
 * long thisMonth = active.count(SetExpression.active("login", Span.month(month)));
 * }</pre>
 *
 * <p>Marking is idempotent: if a call fails or its outcome is unknown, the caller can mark again. If the failed call has
 * stored the mark, the second call returns false for a new mark. Marks are scripts on the server, except in the encodings
 * {@code BITMAP} and {@code SET} without an expiry. The client does not send a script again, so during a failover or while
 * the server loads its data, a mark fails at once.
 *
 * <p>All keys of an activity are in one hash slot. Thread-safe. Methods block until the server replies. They throw a
 * {@link RedisException} if a command fails or the server does not reply, and a {@link BitmapException} if the stored
 * values are not valid, or if the activity exists with another granularity, encoding, zone or expiry. This object needs
 * no close.
 */
public final class Activity {

    private final RedisClient client;
    private final ActivityHeader header;
    private final ActivityOptions options;
    private final ActivityStore activityStore;
    private final MarkTimes markTimes;
    private final StoredKeys storedKeys;
    private final ExpiredMarks expiredMarks;

    private Activity(
            RedisClient client,
            ActivityHeader header,
            ActivityOptions options,
            ActivityStore activityStore,
            ExpiredMarks expiredMarks) {
        this.client = client;
        this.header = header;
        this.options = options;
        this.activityStore = activityStore;
        this.markTimes = MarkTimes.of(options);
        this.storedKeys = new StoredKeys(client, header.key(), options.granularity(), options.encoding());
        this.expiredMarks = expiredMarks;
    }

    /**
     * Returns the activity {@code name}. Does not access the server. The first mark creates the activity if the activity
     * does not exist. The first calls compare the options with the options of an existing activity. The comparison is
     * repeated at most once a minute: a lost header is created again, and a changed expiry is used.
     *
     * <p>Create one object per activity, and share this object between threads. The object remembers the comparison with the
     * stored options, and with {@link Encoding#COMPRESSED} up to 64 MB of compressed sets.
     *
     * @param name 1 to 512 characters. It must not begin with a closing brace or contain {@code :activity:}. The keys
     *     of the activity begin with the name and {@code :activity}. If the name contains a hash tag, the keys have
     *     this hash tag. Otherwise the whole name is the hash tag
     */
    public static Activity of(RedisClient client, String name, ActivityOptions options) {
        return of(client, name, options, System::nanoTime);
    }

    /** For tests: the caller passes the clock. */
    static Activity of(RedisClient client, String name, ActivityOptions options, LongSupplier nanoTime) {
        ActivityHeader header = new ActivityHeader(client, name, options, nanoTime);
        String prefix = header.key() + ":";
        LongSupplier random = () -> ThreadLocalRandom.current().nextLong();
        ActivityStore activityStore = switch (options.encoding()) {
            case BITMAP, CHUNKED ->
                new BitmapStore(
                        client,
                        prefix,
                        options,
                        header::expiry,
                        () -> Long.toHexString(random.getAsLong()),
                        new SparseChunks(name, nanoTime));
            case COMPRESSED -> new CompressedStore(client, prefix, options, header::expiry, random);
            case SET -> new SetStore(client, prefix, options, header::expiry);
        };
        return new Activity(client, header, options, activityStore, new ExpiredMarks(name, nanoTime));
    }

    /**
     * Returns the activity {@code name} if the activity exists. Its granularity, encoding, zone and expiry are the stored
     * ones, and all other options have their defaults.
     *
     * @param name see {@link #of}
     * @throws BitmapException if another version of this library has stored the activity
     */
    public static Optional<Activity> find(RedisClient client, String name) {
        return ActivityHeader.find(client, name).map(stored -> of(client, name, stored.options()));
    }

    /** Returns the options, with the current expiry. */
    public ActivityOptions options() {
        return options.expiring(header.expiry().after());
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
        MarkCounts counts = activityStore.mark(eventSpan, legal);
        expiredMarks.add(counts.expired());
        return counts.added() == 1;
    }

    /**
     * Adds all {@code marks} of {@code event} in one pipeline. Returns the number of marks that are new in their spans.
     */
    public long mark(String event, Collection<? extends Mark> marks) {
        Map<EventSpan, LongStream.Builder> ids = new LinkedHashMap<>();
        for (Mark mark : marks) {
            ids.computeIfAbsent(source(event, markTimes.spanOf(mark)), added -> LongStream.builder())
                    .add(checked(mark.id()));
        }
        Map<EventSpan, long[]> arrays = new LinkedHashMap<>();
        ids.forEach(
                (eventSpan, builder) -> arrays.put(eventSpan, builder.build().toArray()));
        header.checkBeforeWrite();
        MarkCounts counts = activityStore.mark(arrays);
        expiredMarks.add(counts.expired());
        return counts.added();
    }

    /**
     * Adds a history of marks. The history can have any length and any order. The client collects marks in up to {@link
     * ActivityOptions#historyBytes} of memory, and then sends the collected marks as blocks of bits. If other clients
     * add marks at the same time, these marks are kept. The method reads the iterator on the calling thread.
     */
    public LoadCounts load(String event, Iterator<? extends Mark> history) {
        HistoryLoad loading = newLoad(event);
        while (history.hasNext()) {
            Mark mark = history.next();
            loading.add(markTimes.timeOf(mark), mark.id());
        }
        return ended(loading);
    }

    /** Marks {@code event} for all {@code ids} in one span, like {@link #load(String, Iterator)}. */
    public LoadCounts load(String event, Span span, LongStream ids) {
        HistoryLoad loading = newLoad(event);
        requireGranularity(span);
        ids.sequential().forEach(id -> loading.add(span.start(), id));
        return ended(loading);
    }

    /**
     * Returns the number of marks that this object could not store, because their spans have expired. If there are such
     * marks, a warning is logged to {@code io.millrace.bitmap}, at most once an hour.
     */
    public long expiredMarks() {
        return expiredMarks.count();
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

    /**
     * Returns the server memory of {@code event} in {@code span}, in bytes, including unused space of growing strings. {@link
     * MemoryEstimate} predicts the memory.
     */
    public long memoryBytes(String event, Span span) {
        header.checkBeforeRead();
        List<String> keys = sources(event, span).stream()
                .flatMap(eventSpan -> activityStore.keys(eventSpan).stream())
                .toList();
        return StoredKeys.memoryBytes(client, keys);
    }

    /** Deletes all marks of {@code event} in {@code span}. */
    public void clear(String event, Span span) {
        header.checkBeforeRead();
        activityStore.clear(sources(event, span));
    }

    /**
     * Changes the expiry: all spans, also the existing spans, expire {@code time} after their end. If this time has passed,
     * the server deletes the span at once. Finds the keys with SCAN over the whole database, twice. In a Redis Cluster, this
     * method scans only one server. If this method fails, call the method again.
     *
     * <p>Programs that use the activity at the same time use the new expiry within one minute. The spans that they begin
     * before have the former expiry. So call the method again after a minute if this matters. A program that starts later
     * must open the activity with the new expiry.
     *
     * @param time 1 ms to 36,500 days
     */
    public void keepFor(Duration time) {
        changeExpiry(ActivityOptions.checkExpiry(time));
    }

    /** Changes the expiry, as {@link #keepFor} does: no span expires, also no existing span. */
    public void keepForever() {
        changeExpiry(Duration.ZERO);
    }

    private void changeExpiry(Duration after) {
        header.changeExpiry(after);
        storedKeys.expire(header.expiry());
    }

    /**
     * Deletes the activity. This method finds the keys with SCAN over the whole database. In a Redis Cluster, this
     * method scans only one server.
     */
    public void delete() {
        storedKeys.delete();
        client.call(Keys.unlink(header.key()));
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

    private LoadCounts ended(HistoryLoad loading) {
        LoadCounts counts = loading.end();
        expiredMarks.add(counts.expired());
        return counts;
    }

    private EventSpan source(String event, Span span) {
        return new EventSpan(event(event), span);
    }

    private long checked(long id) {
        long maxId = Math.min(options.maxId(), activityStore.maxId());
        if (id < 0 || id > maxId) {
            throw new IllegalArgumentException(String.format(
                    Locale.ROOT,
                    "id=%,d is out of range: 0 to %,d in %s.",
                    id,
                    maxId,
                    options.maxId() < activityStore.maxId()
                            ? "this activity (ActivityOptions.maxId)"
                            : "encoding " + options.encoding()));
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
}
