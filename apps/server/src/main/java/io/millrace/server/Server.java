// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import java.io.PrintStream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts the server: {@code millrace serve}. Programs of the lab start the server within their process. */
public final class Server {

    private static final int USAGE_ERROR = 2;

    private Server() {}

    /** Exits with 0 after {@code --help}, with 2 if an argument cannot be used, and with 1 if the start fails. */
    public static void main(String[] arguments) {
        PrintStream out = System.out;
        try {
            ServeArguments parsed = ServeArguments.parse(arguments);
            if (parsed.version()) {
                out.println("millrace serve " + version());
                return;
            }
            if (parsed.help()) {
                out.print(ServeArguments.USAGE);
                return;
            }
            ConfigurableApplicationContext context = start(parsed.keys().toArray(String[]::new));
            out.println("Millrace serves " + url(context) + ". To stop the server, press Ctrl-C.");
        } catch (ServeArguments.UnusableException unusable) {
            System.err.println("millrace serve: " + unusable.getMessage() + ". See millrace serve --help.");
            System.exit(USAGE_ERROR);
        }
    }

    /** The version in the manifest of the jar. */
    private static String version() {
        String version = Server.class.getPackage().getImplementationVersion();
        return version == null ? "of an unpacked build" : version;
    }

    /** Starts the application with arguments of Spring Boot. */
    public static ConfigurableApplicationContext start(String... keys) {
        return new SpringApplication(ServerApplication.class).run(keys);
    }

    /** The address of a server that has started. */
    public static String url(ConfigurableApplicationContext context) {
        String address = context.getEnvironment().getProperty("server.address", "127.0.0.1");
        boolean tls = context.getEnvironment().containsProperty("server.ssl.bundle");
        int port = context instanceof WebServerApplicationContext web && web.getWebServer() != null
                ? web.getWebServer().getPort()
                : 0;
        return (tls ? "https://" : "http://") + (address.contains(":") ? "[" + address + "]" : address) + ":" + port;
    }
}
