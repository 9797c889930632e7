// SPDX-License-Identifier: Apache-2.0
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Strings;

public class FirstSteps {
    public static void main(String[] args) {
        RedisUri uri = RedisUri.parse(args.length == 0 ? "redis://127.0.0.1:6379" : args[0]);
        // One client serves all threads of an application, also virtual threads.
        try (RedisClient client = RedisClient.connect(uri)) {
            client.call(Strings.set("greeting", "hello"));
            System.out.println(client.call(Strings.get("greeting")).orElse("no greeting"));
        }
    }
}
