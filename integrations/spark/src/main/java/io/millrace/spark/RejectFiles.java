// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.util.SerializableConfiguration;

/**
 * The files with the rejected rows of a job, in a folder of any file system of Hadoop. An attempt writes its file to a
 * temporary folder. The driver names the files of the admitted attempts, and deletes the temporary folder. So no rejected
 * row is there twice, even if Spark has repeated a task.
 *
 * @param folder folder that the user has named
 * @param job identifier of the job, which is part of the file names
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

    /** Names the files of the admitted attempts, and deletes the files of all others. Called on the driver. */
    void publish(List<AttemptMessage> admitted) {
        try {
            FileSystem files = fileSystem();
            for (AttemptMessage message : admitted) {
                Path target = new Path(folder, "part-%05d-%s.jsonl".formatted(message.partition(), job));
                if (!message.rejects().isEmpty() && !files.rename(new Path(temporary(), message.rejects()), target)) {
                    throw new IOException("a file cannot be renamed to " + target);
                }
            }
            files.delete(temporary(), true);
        } catch (IOException e) {
            throw new UncheckedIOException("the rejected rows cannot be named in " + folder + ": " + e.getMessage(), e);
        }
    }

    /** Creates the folder. Called on the driver before the first task, so that a wrong name fails early. */
    void prepare() {
        try {
            if (!fileSystem().mkdirs(new Path(folder))) {
                throw new IOException("it is not a folder");
            }
        } catch (IOException e) {
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
