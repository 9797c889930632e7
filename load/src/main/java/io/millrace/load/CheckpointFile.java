// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.target.PlanException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A checkpoint in a local file, for targets to which a row can be written twice without harm.
 *
 * <pre>
 *   {"format":"1","plan.source":"shop.csv","plan.target":"HashTarget[…]", … "rows":"0","digest":"0"}
 *   {"rows":"204800","digest":"-431…","keys":"204800"}
 *   {"rows":"409600","digest":"8811…","keys":"409600"}
 * </pre>
 *
 * <p>Lines are only appended, and each line is forced to the disk before the next one. So a process or a machine that
 * fails damages the last line at most, and the line before this line counts. A lock prevents that two processes use the
 * file at the same time; the lock ends with its process.
 *
 * <p>Confined to one thread at a time. Blocks while the disk blocks.
 */
final class CheckpointFile implements AutoCloseable {

    private final Path path;
    /** Not a channel, because an interrupt during a write would close the channel. */
    private final RandomAccessFile file;

    private final CheckpointStep.Listener steps;
    private Map<String, String> stored;

    private CheckpointFile(
            Path path, RandomAccessFile file, CheckpointStep.Listener steps, Map<String, String> stored) {
        this.path = path;
        this.file = file;
        this.steps = steps;
        this.stored = stored;
    }

    /**
     * Opens the file, and creates it if it does not exist.
     *
     * @throws PlanException if the file cannot be used, or if another process uses it
     */
    static CheckpointFile open(Path path, CheckpointStep.Listener steps) {
        RandomAccessFile file = null;
        try {
            file = new RandomAccessFile(path.toFile(), "rw");
            if (!lock(file.getChannel())) {
                throw new PlanException("another load uses the checkpoint: path=" + path.toAbsolutePath()
                        + ". Wait for its end, or choose another name.");
            }
            byte[] content = new byte[Math.toIntExact(file.length())];
            file.readFully(content);
            CheckpointLines.Content lines = CheckpointLines.read(content);
            file.setLength(lines.bytes());
            file.seek(lines.bytes());
            return new CheckpointFile(path, file, steps, lines.values());
        } catch (IOException e) {
            close(file);
            throw new PlanException("the checkpoint file cannot be opened: path=" + path.toAbsolutePath() + " ("
                    + e.getMessage() + "). Run the load in a folder that you may write to.");
        } catch (RuntimeException e) {
            close(file);
            throw e;
        }
    }

    private static boolean lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException sameProcess) {
            return false;
        }
    }

    /** The checkpoint in the file. Without values if the file is new. */
    StoredCheckpoint stored() {
        return new StoredCheckpoint(stored);
    }

    /** How messages name the file. */
    String place() {
        return "path=" + path.toAbsolutePath();
    }

    /**
     * Appends {@code values} to the file, and forces them to the disk.
     *
     * @throws UncheckedIOException if this fails
     */
    void append(Map<String, String> values) {
        try {
            boolean isNew = file.getFilePointer() == 0;
            file.write(CheckpointLines.line(values));
            steps.reached(CheckpointStep.WRITTEN);
            file.getFD().sync();
            if (isNew) {
                syncDirectory();
            }
            steps.reached(CheckpointStep.SAVED);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the checkpoint cannot be written: path=" + path.toAbsolutePath() + " (" + e.getMessage()
                            + "). Free disk space, and continue the load.",
                    e);
        }
        Map<String, String> all = new HashMap<>(stored);
        all.putAll(values);
        stored = all;
    }

    /** Appends a position. {@code keys} is the number of keys of the database without an expiry. */
    void append(CheckpointPosition position, OptionalLong keys) {
        Map<String, String> values = new HashMap<>();
        values.put(StoredCheckpoint.ROWS, Long.toString(position.rows()));
        values.put(StoredCheckpoint.DIGEST, Long.toString(position.digest()));
        keys.ifPresent(count -> values.put(StoredCheckpoint.KEYS, Long.toString(count)));
        append(values);
    }

    /** Makes the name of the file durable. Windows cannot force a folder to the disk. */
    private void syncDirectory() {
        Path folder = path.toAbsolutePath().getParent();
        if (folder == null) {
            return;
        }
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            // The operating system does not support this.
        }
    }

    /** Removes the file, because the load is complete or has not begun. */
    void delete() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the checkpoint of a complete load cannot be removed: path=" + path.toAbsolutePath() + " ("
                            + e.getMessage() + "). Remove the file.",
                    e);
        }
    }

    @Override
    public void close() {
        close(file);
    }

    private static void close(@Nullable RandomAccessFile file) {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            // Ignored. The content was forced to the disk before.
        }
    }
}
