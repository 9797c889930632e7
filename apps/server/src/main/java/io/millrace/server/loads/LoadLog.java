// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import io.millrace.server.loads.LogFile.Place;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The last {@link #LIMIT} loads. Thread-safe. Blocks while the file is written.
 *
 * <p>DESIGN. The file has one line of JSON for each start and for each end ({@link LogLine}):
 *
 * <pre>
 *   {"id":7,"job":"prices","started":…,"ended":null,…}       added at the start, then fsync
 *   {"id":7,"job":"prices","started":…,"ended":…,"report":…} added at the end, then fsync
 * </pre>
 *
 * <p>When the file is opened, a load without an end was cut. The memory has only the records and the places of their lines: a
 * report and its rejected rows are read from the file when a client asks for them. Without a file, the memory keeps the lines
 * of the newest ends, {@link #MEMORY_BYTES} in all.
 *
 * <p>A load that has no end is never forgotten. Of the others, the load that ended first is forgotten.
 */
public final class LoadLog implements AutoCloseable {

    public static final int LIMIT = 1_000;

    /** 16 of the 256 MiB of the heap. */
    static final long MEMORY_BYTES = 16L << 20;

    private static final System.Logger LOGGER = System.getLogger("io.millrace.server");

    private final ReentrantLock lock = new ReentrantLock();

    /** The loads without an end, and the loads that have ended, in the order of their ends. Guarded by {@link #lock}. */
    private final Map<Long, Entry> running = new LinkedHashMap<>();

    private final Map<Long, Entry> ended = new LinkedHashMap<>();

    /** Not guarded by the lock: a new load needs an id, and must not wait for the file. */
    private final AtomicLong lastId = new AtomicLong();

    /** Number of bytes of the lines in memory. Guarded by {@link #lock}. */
    private long memoryBytes;

    private final @Nullable LogFile file;

    /**
     * A load and its line.
     *
     * @param place null if the line is not in a file
     * @param line null if the line is in a file, or was not kept
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Entry(LoadRecord load, @Nullable Place place, byte @Nullable [] line) {

        int memoryBytes() {
            return line == null ? 0 : line.length;
        }
    }

    private LoadLog(@Nullable LogFile file) {
        this.file = file;
    }

    /** A log that a restart forgets. */
    public static LoadLog inMemory() {
        return new LoadLog(null);
    }

    /**
     * Opens the log in {@code folder}, which is created if it does not exist.
     *
     * @throws java.io.UncheckedIOException if the file cannot be read or written
     * @throws IllegalStateException if another process has the log open
     */
    public static LoadLog open(Path folder) {
        LogFile file = LogFile.open(folder);
        try {
            LoadLog log = new LoadLog(file);
            log.readAll(file);
            return log;
        } catch (RuntimeException unusable) {
            file.close();
            throw unusable;
        }
    }

    /** Reads the file. Loads without an end were cut. */
    private void readAll(LogFile from) {
        lock.lock();
        try {
            int lines = from.readAll(line -> {
                Optional<LoadRecord> load = LogLine.load(line.text());
                load.ifPresent(found -> put(new Entry(found, line.place(), null)));
                return load.isPresent();
            });
            List<Entry> cut = List.copyOf(running.values());
            cut.forEach(entry -> add(entry.load().cut(), LoadDetails.NONE));
            if (lines > 2 * LIMIT) {
                keepOnlyEntries(from);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the id of a new load. Does not wait for the file. */
    long newId() {
        return lastId.incrementAndGet();
    }

    /** Adds a load, or its end. Returns after the file has the line. A failure of the file is logged. */
    void add(LoadRecord load, LoadDetails details) {
        byte[] line = LogLine.of(load, details);
        lock.lock();
        try {
            put(
                    file == null
                            ? new Entry(load, null, load.hasEnded() ? line : null)
                            : new Entry(load, written(file, load, line), null));
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Place written(LogFile target, LoadRecord load, byte[] line) {
        try {
            if (target.isFull(line)) {
                keepOnlyEntries(target);
            }
            if (!target.isFull(line)) {
                return target.append(line);
            }
            LOGGER.log(System.Logger.Level.WARNING, "the load log is full, and lacks a line: load=" + load.id());
        } catch (IOException failed) {
            LOGGER.log(System.Logger.Level.WARNING, "the load log lacks a line: load=" + load.id(), failed);
        }
        return null;
    }

    /** Removes the lines that no entry has. The caller holds the lock. */
    private void keepOnlyEntries(LogFile target) {
        List<LoadRecord> loads = new ArrayList<>();
        List<Place> places = new ArrayList<>();
        Stream.concat(ended.values().stream(), running.values().stream()).forEach(entry -> {
            Place place = entry.place();
            if (place != null) {
                loads.add(entry.load());
                places.add(place);
            }
        });
        try {
            List<Place> kept = target.keep(places);
            for (int i = 0; i < kept.size(); i++) {
                LoadRecord load = loads.get(i);
                (load.hasEnded() ? ended : running).put(load.id(), new Entry(load, kept.get(i), null));
            }
        } catch (IOException failed) {
            LOGGER.log(System.Logger.Level.WARNING, "the load log was not written anew", failed);
        }
    }

    /** The caller holds the lock. */
    private void put(Entry entry) {
        long id = entry.load().id();
        lastId.accumulateAndGet(id, Math::max);
        running.remove(id);
        if (!entry.load().hasEnded()) {
            if (!ended.containsKey(id)) {
                running.put(id, entry);
            }
            return;
        }
        memoryBytes += entry.memoryBytes();
        Entry same = ended.remove(id);
        memoryBytes -= same == null ? 0 : same.memoryBytes();
        ended.put(id, entry);
        while (ended.size() + running.size() > LIMIT && !ended.isEmpty()) {
            Entry oldest = ended.remove(ended.keySet().iterator().next());
            memoryBytes -= oldest == null ? 0 : oldest.memoryBytes();
        }
        forgetLines();
    }

    /** Forgets the lines of the oldest ends if the lines take too much memory. */
    private void forgetLines() {
        for (Map.Entry<Long, Entry> each : ended.entrySet()) {
            if (memoryBytes <= MEMORY_BYTES) {
                return;
            }
            memoryBytes -= each.getValue().memoryBytes();
            each.setValue(new Entry(each.getValue().load(), null, null));
        }
    }

    Optional<LoadRecord> find(long id) {
        lock.lock();
        try {
            return Optional.ofNullable(entry(id)).map(Entry::load);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the report and the rejected rows of a load; empty if they are not known. */
    Optional<LoadDetails> details(long id) {
        byte[] line;
        lock.lock();
        try {
            Entry entry = entry(id);
            line = entry == null ? null : line(entry);
        } finally {
            lock.unlock();
        }
        return line == null ? Optional.empty() : Optional.of(LogLine.details(line));
    }

    private byte @Nullable [] line(Entry entry) {
        Place place = entry.place();
        if (file == null || place == null) {
            return entry.line();
        }
        try {
            return file.read(place);
        } catch (IOException failed) {
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    "a line of the load log cannot be read: load="
                            + entry.load().id(),
                    failed);
            return null;
        }
    }

    private @Nullable Entry entry(long id) {
        Entry found = ended.get(id);
        return found == null ? running.get(id) : found;
    }

    /** All loads, newest first. */
    List<LoadRecord> newestFirst() {
        List<LoadRecord> loads = new ArrayList<>();
        lock.lock();
        try {
            ended.values().forEach(entry -> loads.add(entry.load()));
            running.values().forEach(entry -> loads.add(entry.load()));
        } finally {
            lock.unlock();
        }
        loads.sort(Comparator.comparingLong(LoadRecord::id).reversed());
        return loads;
    }

    /** A later {@link #add} does not change the file: an abandoned run may end late. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (file != null) {
                file.close();
            }
        } finally {
            lock.unlock();
        }
    }
}
