// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import java.io.IOException;

/** A JVM that starts a server, says where it is, and waits to be ended from outside. */
final class ChildJvm {

    private static final long DRAIN_NANOS = 500_000_000;

    private ChildJvm() {}

    public static void main(String[] arguments) throws IOException {
        EmbeddedRedis redis = EmbeddedRedis.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("drained: " + answer(redis))));
        System.out.println(redis.pid() + " " + redis.directory());
        System.exit(System.in.read() < 0 ? 1 : 0);
    }

    /** Drains for a while, since a server that was interrupted too lives on for a moment. */
    private static String answer(EmbeddedRedis redis) {
        long end = System.nanoTime() + DRAIN_NANOS;
        try (Conversation conversation = Conversation.with(redis)) {
            String answer = conversation.say("PING");
            while (answer.equals("+PONG") && System.nanoTime() - end < 0) {
                answer = conversation.say("PING");
            }
            return answer;
        } catch (IOException e) {
            return e.toString();
        }
    }
}
