// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts the server: {@code millrace serve}. */
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

    /** Starts the application with arguments of Spring Boot. Also called by programs of the lab. */
    public static ConfigurableApplicationContext start(String... keys) {
        return application().run(keys);
    }

    /**
     * The application. Reads the settings of the server from the class path only. Spring Boot would also read the settings in
     * the working folder, which may belong to another application.
     *
     * @param more further classes with beans
     */
    static SpringApplication application(Class<?>... more) {
        SpringApplication application = new SpringApplication(ServerApplication.class);
        application.addPrimarySources(List.of(more));
        application.setDefaultProperties(Map.of("spring.config.location", "classpath:/"));
        return application;
    }

    /** The address of a server that has started. */
    static String url(ConfigurableApplicationContext context) {
        String address = context.getEnvironment().getProperty("server.address", "127.0.0.1");
        boolean tls = context.getEnvironment().containsProperty("server.ssl.bundle");
        int port = context instanceof WebServerApplicationContext web && web.getWebServer() != null
                ? web.getWebServer().getPort()
                : 0;
        return (tls ? "https://" : "http://") + (address.contains(":") ? "[" + address + "]" : address) + ":" + port;
    }
}
