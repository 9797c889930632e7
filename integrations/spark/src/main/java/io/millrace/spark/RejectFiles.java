// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.util.SerializableConfiguration;

/**
 * The files with the rejected rows of a job, in a folder of any file system of Hadoop. An attempt writes its file to a
 * temporary folder. The driver names the files of the admitted attempts, and deletes the temporary folder. So the folder
 * contains each rejected row once, even if Spark has repeated a task.
 *
 * @param folder folder that the user has named
 * @param job identifier of the job, which is the name of the temporary folder
 */
record RejectFiles(String folder, String job, SerializableConfiguration hadoop) implements Serializable {

    /** Copies {@code local}, the file of an attempt, to the temporary folder. Returns the name of the copy. */
    String upload(java.nio.file.Path local, int partition, long task) {
        try {
            if (Files.size(local) == 0) {
                return "";
            }
            String name = "part-%05d-%d.jsonl".formatted(partition, task);
            fileSystem().copyFromLocalFile(true, true, new Path(local.toUri()), new Path(temporary(), name));
            return name;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the rejected rows cannot be written to " + folder + ": " + e.getMessage(), e);
        }
    }

    /**
     * Names the files of the admitted attempts, and deletes the files of all others. If a file cannot be named, this method
     * names the other files, and the temporary folder stays. Called on the driver.
     *
     * @param name part of the names of the files
     * @throws UncheckedIOException if a file cannot be named
     */
    void publish(List<AttemptMessage> admitted, String name) {
        try {
            FileSystem files = fileSystem();
            Exception failure = null;
            for (AttemptMessage message : admitted) {
                try {
                    publish(files, message, name);
                } catch (IOException | RuntimeException e) {
                    failure = e;
                }
            }
            if (failure != null) {
                throw unnamed(failure);
            }
            files.delete(temporary(), true);
        } catch (IOException e) {
            throw unnamed(e);
        }
    }

    private UncheckedIOException unnamed(Exception cause) {
        return new UncheckedIOException(
                "some rejected rows cannot be named in " + folder + " and remain in " + temporary() + ": "
                        + cause.getMessage(),
                cause instanceof IOException io ? io : new IOException(cause));
    }

    private void publish(FileSystem files, AttemptMessage message, String name) throws IOException {
        if (message.rejects().isEmpty()) {
            return;
        }
        Path source = new Path(temporary(), message.rejects());
        Path target = new Path(folder, "part-%05d-%s.jsonl".formatted(message.partition(), name));
        // Some file systems do not rename to a file that exists.
        if (!files.rename(source, target) && !(files.delete(target, false) && files.rename(source, target))) {
            throw new IOException("a file cannot be renamed to " + target);
        }
    }

    /** Deletes the files that an earlier job with this name has published. Called on the driver. */
    void removeEarlier(String name) {
        try {
            FileSystem files = fileSystem();
            for (FileStatus earlier : files.listStatus(
                    new Path(folder),
                    path -> path.getName().matches("part-[0-9]+-" + Pattern.quote(name) + "\\.jsonl"))) {
                files.delete(earlier.getPath(), false);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "earlier rejected rows of the same epoch cannot be deleted in " + folder + ": " + e.getMessage(),
                    e);
        }
    }

    /** Deletes the files of all attempts. Called on the driver. */
    void discard() {
        publish(List.of(), job);
    }

    /**
     * Creates the folder and the temporary folder. Called on the driver before the first task, so that a wrong name or a
     * missing permission fails early.
     */
    void prepare() {
        try {
            if (!fileSystem().mkdirs(temporary())) {
                throw new IOException("it is not a folder");
            }
        } catch (IOException | IllegalArgumentException e) {
            throw new SparkLoadException(
                    "option rejects: the folder " + folder + " cannot be created (" + e.getMessage() + ").", e);
        }
    }

    private Path temporary() {
        return new Path(folder, "_millrace-" + job);
    }

    private FileSystem fileSystem() throws IOException {
        Configuration configuration = hadoop.value();
        return new Path(folder).getFileSystem(configuration);
    }
}
