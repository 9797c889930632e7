// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import java.io.IOException;

/** A JVM that starts a server, prints its process id and directory, and waits until a test ends the JVM. */
final class ChildJvm {

    private static final long DRAIN_NANOS = 500_000_000;

    private ChildJvm() {}

    public static void main(String[] arguments) throws IOException {
        EmbeddedRedis redis = EmbeddedRedis.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("drained: " + answer(redis))));
        System.out.println(redis.pid() + " " + redis.directory());
        System.exit(System.in.read() < 0 ? 1 : 0);
    }

    /**
     * Sends PING for half a second and returns the last answer. One PING is not enough: a server that was also
     * interrupted would still answer for a moment.
     */
    private static String answer(EmbeddedRedis redis) {
        long end = System.nanoTime() + DRAIN_NANOS;
        try (InlineClient inlineClient = InlineClient.connect(redis)) {
            String answer = inlineClient.call("PING");
            while (answer.equals("+PONG") && System.nanoTime() - end < 0) {
                answer = inlineClient.call("PING");
            }
            return answer;
        } catch (IOException e) {
            return e.toString();
        }
    }
}
