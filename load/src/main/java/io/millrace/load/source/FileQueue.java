// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** The files of a source that no reader has begun, and the progress of the readers. Thread-safe. */
final class FileQueue implements SourceSize {

    private final List<RowSource> files;

    /** Index of the next file. The first file is open before the readers begin. */
    private final AtomicInteger next = new AtomicInteger(1);

    private final AtomicInteger finished = new AtomicInteger();
    private final Set<RowReader> reading = ConcurrentHashMap.newKeySet();

    FileQueue(List<RowSource> files) {
        this.files = files;
    }

    RowSource file(int index) {
        return files.get(index);
    }

    /** The index of the file that the caller reads next; empty if there is none. */
    OptionalInt take() {
        int taken = next.getAndUpdate(index -> Math.min(index + 1, files.size()));
        return taken < files.size() ? OptionalInt.of(taken) : OptionalInt.empty();
    }

    void began(RowReader reader) {
        reading.add(reader);
    }

    void ended(RowReader reader) {
        finished.incrementAndGet();
        reading.remove(reader);
    }

    @Override
    public OptionalLong exact() {
        return OptionalLong.empty();
    }

    @Override
    public OptionalDouble share(long rows) {
        return share();
    }

    /** Each file counts the same, because the sizes of compressed files say little about their rows. */
    OptionalDouble share() {
        double sum = finished.get();
        for (RowReader reader : reading) {
            OptionalDouble inFile = reader.share();
            if (inFile.isEmpty()) {
                return OptionalDouble.empty();
            }
            sum += inFile.getAsDouble();
        }
        return OptionalDouble.of(Math.min(1, sum / files.size()));
    }
}
