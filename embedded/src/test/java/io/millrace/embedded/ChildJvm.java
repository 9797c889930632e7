// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import java.io.IOException;

/** A JVM that starts a server, says where it is, and waits to be ended from outside. */
final class ChildJvm {

    private ChildJvm() {}

    public static void main(String[] arguments) throws IOException {
        EmbeddedRedis redis = EmbeddedRedis.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("drained: " + answer(redis))));
        System.out.println(redis.pid() + " " + redis.directory());
        System.exit(System.in.read() < 0 ? 1 : 0);
    }

    private static String answer(EmbeddedRedis redis) {
        try (Conversation conversation = Conversation.with(redis)) {
            return conversation.say("PING");
        } catch (IOException e) {
            return e.toString();
        }
    }
}
