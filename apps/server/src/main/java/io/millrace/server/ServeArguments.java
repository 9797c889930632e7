// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The arguments of {@code millrace serve}, as keys of the application.
 *
 * @param keys arguments of Spring Boot, {@code --key=value}
 * @param help whether the usage is wanted
 * @param version whether the version is wanted
 */
record ServeArguments(List<String> keys, boolean help, boolean version) {

    static final String USAGE = """
            Usage: millrace serve [OPTIONS]

            Serves caches, bitmaps and loads over HTTP, on http://127.0.0.1:8080 by default.

              -u, --uri URI         the Redis server: redis://host:6379/0, rediss://, unix:///path
                  --config FILE     settings and jobs in YAML; docs/server.md lists the keys
                  --demo            start a private Redis, with jobs of generated rows
                  --host HOST       address to listen on; needs a token unless it is a loopback address
                  --port PORT       port to listen on, 0 for any free port
                  --token-file FILE file with the token; or set MILLRACE_SERVER_TOKEN
                  --allow-host NAME further name that the header Host may have; repeatable
                  --data DIR        folder of the load log, which survives a restart
              -h, --help            print this text
                  --version         print the version
            """;

    /** An argument cannot be used. The message says why. */
    static final class UnusableException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        UnusableException(String message) {
            super(message);
        }
    }

    static ServeArguments parse(String... arguments) {
        Deque<String> rest = new ArrayDeque<>(List.of(arguments));
        List<String> keys = new ArrayList<>();
        List<String> hosts = new ArrayList<>();
        boolean help = false;
        boolean version = false;
        while (!rest.isEmpty()) {
            String word = rest.pop();
            int equals = word.startsWith("--") ? word.indexOf('=') : -1;
            String name = equals < 0 ? word : word.substring(0, equals);
            if (equals >= 0) {
                rest.push(word.substring(equals + 1));
            }
            switch (name) {
                case "-h", "--help" -> help = true;
                case "--version" -> version = true;
                case "--demo" -> keys.add("--spring.profiles.active=" + DemoConfiguration.PROFILE);
                case "-u", "--uri" -> keys.add("--millrace.redis.url=" + value(name, rest));
                case "--host" -> keys.add("--server.address=" + value(name, rest));
                case "--port" -> keys.add("--server.port=" + value(name, rest));
                case "--token-file" -> keys.add("--millrace.server.token-file=" + absolute(value(name, rest)));
                case "--data" -> keys.add("--millrace.server.data=" + absolute(value(name, rest)));
                case "--config" -> keys.add("--spring.config.additional-location=file:" + absolute(value(name, rest)));
                case "--allow-host" -> hosts.add(value(name, rest));
                default -> throw new UnusableException("unknown argument: " + name);
            }
        }
        if (!hosts.isEmpty()) {
            keys.add("--millrace.server.allowed-hosts=" + String.join(",", hosts));
        }
        return new ServeArguments(keys, help, version);
    }

    private static String value(String name, Deque<String> rest) {
        String value = rest.poll();
        if (value == null || value.isEmpty()) {
            throw new UnusableException(name + " needs a value");
        }
        return value;
    }

    private static Path absolute(String file) {
        return Path.of(file).toAbsolutePath();
    }
}
