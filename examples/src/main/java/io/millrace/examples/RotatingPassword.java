// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.ClientOptions;
import io.millrace.client.Credentials;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import java.util.concurrent.atomic.AtomicReference;

/** Changes the password of a user while a client of this user is connected. */
public final class RotatingPassword {

    private static final String USER = "example-worker";

    private RotatingPassword() {}

    public static void main(String[] args) {
        System.out.println(run(args.length == 0 ? "redis://127.0.0.1:6379" : args[0]));
    }

    /** Returns the reply to a command after the change. */
    static String run(String address) {
        RedisUri uri = RedisUri.parse(address);
        try (RedisClient admin = RedisClient.connect(uri)) {
            admin.call(Command.of("ACL SETUSER", USER, "reset", "on", ">first", "~example:*", "+@all"));
            try {
                return rotate(uri, admin);
            } finally {
                admin.call(Command.of("ACL DELUSER", USER));
            }
        }
    }

    private static String rotate(RedisUri uri, RedisClient admin) {
        // snippet: rotate
        // The client reads the credentials at each login. Real code would read them from a file or from a vault.
        AtomicReference<Credentials> secret = new AtomicReference<>(Credentials.of(USER, "first"));
        ClientOptions options =
                ClientOptions.builder(uri).credentials(secret::get).build();
        try (RedisClient client = RedisClient.connect(options)) {
            admin.call(Command.of("ACL SETUSER", USER, ">second")); // 1. the server accepts both passwords
            secret.set(Credentials.of(USER, "second")); //             2. new logins use the second password
            client.renewLogin(); //                                    3. open connections log in again
            admin.call(Command.of("ACL SETUSER", USER, "<first")); //  4. the server accepts the second password only
            return "reply after the change: " + client.call(Server.ping());
        }
        // end
    }
}
