// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.DedicatedConnection;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import java.time.Duration;

/** Writes a key, and waits until replicas have received the write. */
public final class ReplicatedWrite {

    static final String ORDER = "example:order";

    private ReplicatedWrite() {}

    public static void main(String[] args) {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            boolean replicated = write(client, "3 books", 1, Duration.ofMillis(500));
            System.out.println("a replica has the order: " + replicated);
            client.call(Keys.delete(ORDER));
        }
    }

    /**
     * Writes the order. Returns whether at least {@code replicas} replicas have received it within {@code wait}. If the
     * result is false, the order is in the memory of the primary, and replicas may receive it later.
     */
    static boolean write(RedisClient client, String order, int replicas, Duration wait) {
        // snippet: replicated-write
        // WAIT confirms only the earlier writes of its own connection, so both commands need the same connection.
        try (DedicatedConnection connection = client.borrow()) {
            connection.call(Strings.set(ORDER, order));
            long received = connection.call(Server.awaitReplicas(replicas, wait));
            return received >= replicas;
        }
        // end
    }
}
