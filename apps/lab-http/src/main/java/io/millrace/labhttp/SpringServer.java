// SPDX-License-Identifier: Apache-2.0
package io.millrace.labhttp;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/**
 * A server with Spring Boot that is not the server of Millrace.
 *
 * @param computed number of computed values
 * @param afterwards closes what the application uses
 */
record SpringServer(ConfigurableApplicationContext context, LongSupplier computed, Runnable afterwards)
        implements ValueServer {

    /**
     * Starts the application {@code configuration} on a free port, with virtual threads and without a limit of requests per
     * connection.
     *
     * @param more further keys of the application
     * @param beans prepares the context
     */
    static ConfigurableApplicationContext start(Class<?> configuration, Map<String, String> more, Beans beans) {
        Map<String, String> keys = new HashMap<>(more);
        // The application must not read the configuration of the server of Millrace, which is on the class path.
        keys.put("spring.config.name", "millrace-lab");
        keys.put("spring.threads.virtual.enabled", "true");
        keys.put("spring.main.banner-mode", "off");
        keys.put("server.address", HttpConnection.SERVER);
        keys.put("server.port", "0");
        keys.put("server.tomcat.max-keep-alive-requests", "-1");
        keys.put("logging.level.root", "warn");
        var application = new SpringApplication(configuration);
        application.setRegisterShutdownHook(false);
        application.addInitializers(context -> beans.addTo((GenericApplicationContext) context));
        return application.run(keys.entrySet().stream()
                .map(key -> "--" + key.getKey() + "=" + key.getValue())
                .toArray(String[]::new));
    }

    /** The port of an application that listens on a free port. */
    static int port(ConfigurableApplicationContext context) {
        return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    /** Adds beans that exist before the application. */
    @FunctionalInterface
    interface Beans {
        void addTo(GenericApplicationContext context);
    }

    @Override
    public int port() {
        return port(context);
    }

    @Override
    public long computations() {
        return computed.getAsLong();
    }

    @Override
    public void close() {
        context.close();
        afterwards.run();
    }
}
