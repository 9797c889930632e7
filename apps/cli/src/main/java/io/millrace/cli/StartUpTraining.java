// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.embedded.EmbeddedRedis;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Executes the code of a typical load, so that Java can record the classes for the start-up cache. The launcher runs
 * this class once, with the options of Java that make the cache. The rows go to a private server. On a machine where
 * the private server does not run, the load is a dry run: the cache then lacks the classes of the connection.
 */
public final class StartUpTraining {

    /** Enough rows that Java 25 also records which methods are executed often. */
    private static final int ROWS = 10_000;

    private StartUpTraining() {}

    /** Runs the training. Prints nothing and ignores the arguments. */
    public static void main(String[] args) {
        LibraryLogs.silence();
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            load("-h", redis.host(), "-p", Integer.toString(redis.port()));
        } catch (RuntimeException noServer) {
            load("--dry-run");
        }
        load("--help");
        System.exit(0);
    }

    private static void load(String... more) {
        List<String> args = new ArrayList<>(
                List.of("load", "-", "--format", "csv", "--key", "row:{id}", "--as", "hash", "--progress", "none"));
        args.addAll(List.of(more));
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        Millrace.run(args.toArray(String[]::new), rows(), nowhere, nowhere, Map.of());
    }

    private static InputStream rows() {
        StringBuilder rows = new StringBuilder("id,name,city\n");
        for (int id = 1; id <= ROWS; id++) {
            rows.append(id).append(",name ").append(id).append(",\"city\"\n");
        }
        return new ByteArrayInputStream(rows.toString().getBytes(StandardCharsets.UTF_8));
    }
}
