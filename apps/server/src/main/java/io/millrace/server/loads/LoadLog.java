// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The last {@link #LIMIT} loads, in memory and in a file. Thread-safe. Blocks while the file is written.
 *
 * <p>DESIGN. The file has one line of JSON for each start and for each end. Each line is a whole {@link LoadRecord}, so the
 * order of the lines of one load does not matter, and a later line replaces an earlier one unless the earlier one has ended:
 *
 * <pre>
 *   {"id":7,"job":"prices","started":…,"ended":null,…}      added at the start, then fsync
 *   {"id":7,"job":"prices","started":…,"ended":…,"report":…} added at the end, then fsync
 * </pre>
 *
 * <p>When the file is opened, a load without an end was cut. The last line may be incomplete, because the process or the
 * machine ended during the write; this line is ignored.
 */
public final class LoadLog implements AutoCloseable {

    static final int LIMIT = 1_000;

    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by {@link #lock}. */
    private final TreeMap<Long, LoadRecord> records = new TreeMap<>();

    private final @Nullable LogFile file;

    private LoadLog(@Nullable LogFile file, List<LoadRecord> lines) {
        this.file = file;
        lines.forEach(this::put);
        boolean cut = false;
        for (LoadRecord record : List.copyOf(records.values())) {
            if (!record.hasEnded()) {
                records.put(record.id(), record.cut());
                cut = true;
            }
        }
        if (file != null && (cut || lines.size() > 2 * LIMIT)) {
            file.replace(newestLast());
        }
    }

    /** A log that a restart forgets. */
    public static LoadLog inMemory() {
        return new LoadLog(null, List.of());
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
            return new LoadLog(file, file.read());
        } catch (RuntimeException unusable) {
            file.close();
            throw unusable;
        }
    }

    /** Returns the id of the next load. */
    long nextId() {
        lock.lock();
        try {
            return records.isEmpty() ? 1 : records.lastKey() + 1;
        } finally {
            lock.unlock();
        }
    }

    /** Adds a load, or its end. Returns after the file has the line. */
    void add(LoadRecord record) {
        lock.lock();
        try {
            put(record);
            if (file != null) {
                file.append(record, this::newestLast);
            }
        } finally {
            lock.unlock();
        }
    }

    Optional<LoadRecord> find(long id) {
        lock.lock();
        try {
            return Optional.ofNullable(records.get(id));
        } finally {
            lock.unlock();
        }
    }

    /** All loads, newest first. */
    List<LoadRecord> newestFirst() {
        lock.lock();
        try {
            return new ArrayList<>(records.descendingMap().values());
        } finally {
            lock.unlock();
        }
    }

    private List<LoadRecord> newestLast() {
        return new ArrayList<>(records.values());
    }

    private void put(LoadRecord record) {
        LoadRecord present = records.get(record.id());
        if (present == null || !present.hasEnded()) {
            records.put(record.id(), record);
        }
        if (records.size() > LIMIT) {
            var unused = records.pollFirstEntry();
        }
    }

    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }
}
