// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * Options of the checkpoint of a load. A checkpoint records which rows are done, so that another load with the same plan
 * can continue after an interruption.
 *
 * <p>If writing a row twice changes nothing, the checkpoint is the file {@code NAME.checkpoint} in {@code directory}. For
 * lists, streams and other targets, the checkpoint is the hash {@code millrace:checkpoint:NAME} in Redis, and changes in
 * the same transaction as the rows.
 *
 * @param name 1 to 100 letters, digits, dots, underscores and hyphens, beginning with a letter or a digit. Two loads
 *     with the same name cannot run at the same time
 * @param directory folder of the file
 * @param resume whether the load continues an earlier load of this name. Without such a load, it begins with the first
 *     row
 * @param serverKeptData whether the load may continue although the server was restarted, or has fewer keys than before.
 *     The caller knows that the server has kept all rows, as with {@code appendfsync always}. Without effect if the
 *     checkpoint is in Redis
 */
public record CheckpointOptions(String name, Path directory, boolean resume, boolean serverKeptData) {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    public CheckpointOptions {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("checkpoint=" + name
                    + "; it must be 1 to 100 letters, digits, dots, underscores and hyphens, beginning with a letter or"
                    + " a digit");
        }
    }

    /** A new checkpoint {@code name}, in the working directory if it is a file. */
    public static CheckpointOptions of(String name) {
        return new CheckpointOptions(name, Path.of(""), false, false);
    }

    /** These options for a checkpoint file in {@code newDirectory}. */
    public CheckpointOptions in(Path newDirectory) {
        return new CheckpointOptions(name, newDirectory, resume, serverKeptData);
    }

    /** These options, and the load continues an earlier load. */
    public CheckpointOptions resuming() {
        return new CheckpointOptions(name, directory, true, serverKeptData);
    }

    /** These options, and the load continues after a restart of the server. */
    public CheckpointOptions withServerKeptData() {
        return new CheckpointOptions(name, directory, resume, true);
    }

    /** The path of the checkpoint, if it is a file. */
    Path file() {
        return directory.resolve(name + ".checkpoint");
    }

    /** The key of the checkpoint, if it is in Redis. */
    String key() {
        return "millrace:checkpoint:" + name;
    }
}
