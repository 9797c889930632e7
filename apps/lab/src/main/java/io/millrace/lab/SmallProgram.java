// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Strings;
import io.millrace.lab.workload.StringData;
import java.time.Duration;

/**
 * The least that a program with the {@link BulkWriter} can be: connects, writes, waits for the replies, ends. Arguments: host,
 * port, number of {@code SET}s, database, what keys begin with, and the user's name if it is not the default one. Prints what was fused. Ends with 1 unless every one of them succeeded.
 */
public final class SmallProgram {

    /** The environment variable with the password; not set if none is asked for. */
    public static final String PASSWORD_VARIABLE = "MILLRACE_LAB_PASSWORD";

    public static void main(String[] args) {
        var server = server(args);
        long operations = Long.parseLong(args[2]);
        try (var client = RedisClient.connect(options(server));
                var writer = client.bulkWriter(BulkOptions.DEFAULT, (tag, command, outcome) -> {})) {
            write(writer, args[4], operations);
            writer.finish();
            if (writer.counts().ok() != operations) {
                System.err.println("not every SET succeeded: " + writer.counts());
                System.exit(1);
            }
            var fused = writer.fusion();
            System.out.println("fusedCommands=" + fused.commands() + " fusedRuns=" + fused.fusedBatches());
        }
    }

    /** Default options, but for the connect timeout: the program also starts on a busy machine. */
    private static ClientOptions options(RedisUri server) {
        return ClientOptions.builder(server)
                .connectTimeout(Duration.ofSeconds(30))
                .build();
    }

    private static RedisUri server(String[] args) {
        var server = RedisUri.of(args[0], Integer.parseInt(args[1])).withDatabase(Integer.parseInt(args[3]));
        var password = System.getenv(PASSWORD_VARIABLE);
        if (password == null) {
            return server;
        }
        return args.length > 5 ? server.withLogin(args[5], password) : server.withPassword(password);
    }

    /** Submits the first {@code operations} pairs of {@link StringData}. */
    public static void write(BulkWriter writer, long operations) {
        write(writer, "", operations);
    }

    private static void write(BulkWriter writer, String prefix, long operations) {
        var pairs = new StringData.Cursor(prefix);
        for (long n = 0; n < operations; n++) {
            writer.begin(Strings.SET).arg(pairs.key()).arg(pairs.value());
            writer.end(n);
            pairs.next();
        }
    }

    private SmallProgram() {}
}
