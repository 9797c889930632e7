// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The file of the load log: lines that are added at its end. Not thread-safe.
 *
 * <p>DESIGN. {@link #length} is the end of the last line that was written completely. Each write begins there. The next write
 * first removes the rest of a failed write. A line that was cut by the end of the process is found when the file is opened.
 *
 * <p>The file is a {@link RandomAccessFile} and not a channel, because a channel closes itself if the thread that writes is
 * interrupted. The thread of a load is interrupted when the load is stopped.
 */
final class LogFile implements AutoCloseable {

    static final String NAME = "loads.jsonl";

    static final long MAX_BYTES = 64L << 20;

    private static final System.Logger LOGGER = System.getLogger("io.millrace.server");

    private final Path folder;
    private final Path path;
    private final FileChannel lockChannel;

    /** Null after a failure, and while the file is replaced. */
    private @Nullable RandomAccessFile file;

    /** Another server may have the folder then. */
    private boolean closed;

    private long length;

    private LogFile(Path folder, FileChannel lockChannel) {
        this.folder = folder;
        this.path = folder.resolve(NAME);
        this.lockChannel = lockChannel;
    }

    /** The place of a line. {@code bytes} includes the line end. */
    record Place(long offset, int bytes) {}

    /** A line and its place. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record PlacedLine(Place place, byte[] text) {}

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
            LogFile log = new LogFile(folder, lockChannel);
            log.opened();
            log.syncFolder();
            return log;
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

    private RandomAccessFile opened() throws IOException {
        if (closed) {
            throw new IOException("the load log is closed");
        }
        RandomAccessFile open = file;
        if (open == null) {
            open = new RandomAccessFile(path.toFile(), "rw");
            file = open;
        }
        return open;
    }

    /**
     * Passes all lines to {@code reader}, one at a time. A last line without a line end gets its line end if {@code reader} can
     * read it, and is removed otherwise.
     *
     * @param reader returns whether a line is readable
     * @return the number of lines
     */
    int readAll(Predicate<PlacedLine> reader) {
        LineSplitter lines = new LineSplitter(reader);
        try (InputStream in = Files.newInputStream(path)) {
            lines.readAll(in);
            length = lines.endOfLines();
            byte[] last = lines.endLastLine();
            if (last.length > 0) {
                append(last);
            } else if (opened().length() > length) {
                opened().setLength(length);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("the load log cannot be read: file=" + path, failed);
        }
        if (lines.unreadable() > 0) {
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    "the load log has {0} unreadable lines: file={1}",
                    lines.unreadable(),
                    path);
        }
        return lines.lines();
    }

    /** Whether {@code line} would make the file too large. */
    boolean isFull(byte[] line) {
        return length + line.length > MAX_BYTES;
    }

    /** Adds a line, and waits until the disk has it. After a failure, the file has the same lines as before. */
    Place append(byte[] line) throws IOException {
        try {
            RandomAccessFile open = opened();
            if (open.length() != length) {
                open.setLength(length);
            }
            open.seek(length);
            open.write(line);
            open.getFD().sync();
        } catch (IOException failed) {
            closeFile();
            throw failed;
        }
        Place place = new Place(length, line.length);
        length += line.length;
        return place;
    }

    /** Reads a line. */
    byte[] read(Place place) throws IOException {
        RandomAccessFile open = opened();
        byte[] text = new byte[place.bytes()];
        open.seek(place.offset());
        open.readFully(text);
        return text;
    }

    /**
     * Writes a new file with these lines of the old one, and puts it in the place of the old one in one step.
     *
     * @return the new places, in the same order
     */
    List<Place> keep(List<Place> places) throws IOException {
        Path fresh = path.resolveSibling(NAME + ".new");
        List<Place> kept = new ArrayList<>();
        long end = 0;
        try (FileOutputStream target = new FileOutputStream(fresh.toFile());
                OutputStream out = new BufferedOutputStream(target, LogLine.MAX_BYTES)) {
            for (Place place : places) {
                out.write(read(place));
                kept.add(new Place(end, place.bytes()));
                end += place.bytes();
            }
            out.flush();
            target.getFD().sync();
        }
        closeFile(); // Windows does not replace a file that is open
        Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        length = end;
        syncFolder();
        return kept;
    }

    /** The disk then has the name of a new file, too. Windows cannot open a folder. */
    private void syncFolder() {
        boolean interrupted = Thread.interrupted(); // an interrupt would close the channel
        try (FileChannel names = FileChannel.open(folder, StandardOpenOption.READ)) {
            names.force(true);
        } catch (IOException unsupported) {
            LOGGER.log(System.Logger.Level.DEBUG, "the folder of the load log cannot be synchronized", unsupported);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The next use opens the file again. */
    private void closeFile() {
        RandomAccessFile open = file;
        file = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException failed) {
                LOGGER.log(System.Logger.Level.WARNING, "the load log was not closed: file=" + path, failed);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        closeFile();
        try {
            lockChannel.close();
        } catch (IOException failed) {
            LOGGER.log(System.Logger.Level.WARNING, "the load log was not closed: file=" + path, failed);
        }
    }
}
