// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The file of the load log. Not thread-safe. An error of a write is logged, and does not stop a load: the log then lacks a
 * line.
 */
final class LogFile implements AutoCloseable {

    /** 1,000 loads with 32 KiB of rejected rows and a report each take 40 MiB. */
    static final long MAX_BYTES = 64L << 20;

    private static final String NAME = "loads.jsonl";
    private static final System.Logger LOGGER = System.getLogger("io.millrace.server");
    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(
                    DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
                    DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    private final Path path;
    private final FileChannel lockChannel;
    private FileChannel channel;

    private LogFile(Path path, FileChannel lockChannel, FileChannel channel) {
        this.path = path;
        this.lockChannel = lockChannel;
        this.channel = channel;
    }

    static LogFile open(Path folder) {
        try {
            Files.createDirectories(folder);
            FileChannel lockChannel =
                    FileChannel.open(folder.resolve("loads.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (!isLocked(lockChannel)) {
                lockChannel.close();
                throw new IllegalStateException("another server uses the folder of the load log: data=" + folder
                        + ". Give each server a folder of its own.");
            }
            Path path = folder.resolve(NAME);
            return new LogFile(path, lockChannel, appending(path));
        } catch (IOException unusable) {
            throw new UncheckedIOException("the folder of the load log cannot be used: data=" + folder, unusable);
        }
    }

    /** The lock ends with the process, also after a kill. */
    private static boolean isLocked(FileChannel lockChannel) throws IOException {
        try {
            FileLock lock = lockChannel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException lockedByThisProcess) {
            return false;
        }
    }

    private static FileChannel appending(Path path) throws IOException {
        return FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
    }

    /** Returns the records of all complete lines. */
    List<LoadRecord> read() {
        List<LoadRecord> records = new ArrayList<>();
        int unreadable = 0;
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(Files.newInputStream(path), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.isEmpty()) {
                    continue;
                }
                try {
                    records.add(JSON.readValue(line, LoadRecord.class));
                } catch (JacksonException | NullPointerException incomplete) {
                    unreadable++;
                }
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("the load log cannot be read: file=" + path, failed);
        }
        if (unreadable > 0) {
            LOGGER.log(
                    System.Logger.Level.WARNING, "the load log has {0} unreadable lines: file={1}", unreadable, path);
            endLastLine();
        }
        return records;
    }

    /** Ends a line whose write was interrupted, so that the next line is readable. */
    private void endLastLine() {
        try {
            writeAll(channel, new byte[] {'\n'});
        } catch (IOException failed) {
            throw new UncheckedIOException("the load log cannot be written: file=" + path, failed);
        }
    }

    /** Adds a line and waits until the disk has it. If the file would be too large, writes {@code all} instead. */
    void append(LoadRecord record, Supplier<List<LoadRecord>> all) {
        byte[] line = line(record);
        try {
            if (channel.size() + line.length > MAX_BYTES) {
                replace(all.get());
                return;
            }
            write(channel, line);
        } catch (IOException failed) {
            LOGGER.log(System.Logger.Level.WARNING, "the load log lacks a line: load=" + record.id(), failed);
        }
    }

    /** Writes a new file and puts it in the place of the old one in one step. */
    void replace(List<LoadRecord> records) {
        Path fresh = path.resolveSibling(NAME + ".new");
        try {
            try (FileChannel target = FileChannel.open(
                    fresh, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
                for (LoadRecord record : records) {
                    writeAll(target, line(record));
                }
                target.force(true);
            }
            Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            channel.close();
            channel = appending(path);
        } catch (IOException failed) {
            LOGGER.log(System.Logger.Level.WARNING, "the load log was not written anew: file=" + path, failed);
        }
    }

    private static byte[] line(LoadRecord record) {
        return (JSON.writeValueAsString(record) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private static void write(FileChannel target, byte[] line) throws IOException {
        writeAll(target, line);
        target.force(false);
    }

    private static void writeAll(FileChannel target, byte[] line) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(line);
        while (bytes.hasRemaining()) {
            target.write(bytes);
        }
    }

    @Override
    public void close() {
        try (FileChannel first = channel;
                FileChannel second = lockChannel) {
            LOGGER.log(System.Logger.Level.DEBUG, "the load log is closed: {0} {1}", first.isOpen(), second.isOpen());
        } catch (IOException failed) {
            LOGGER.log(System.Logger.Level.WARNING, "the load log was not closed: file=" + path, failed);
        }
    }
}
