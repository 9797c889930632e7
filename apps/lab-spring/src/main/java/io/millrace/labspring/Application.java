// SPDX-License-Identifier: Apache-2.0
package io.millrace.labspring;

import io.millrace.lab.bulk.Connections;
import io.millrace.lab.client.Target;
import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.boot.context.event.SpringApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;

/** A started application within the JVM of a worker. */
final class Application implements AutoCloseable {

    /** The key of the auto-configurations that an application leaves out. */
    static final String EXCLUDE = "spring.autoconfigure.exclude";

    /** The client of the starter. The other auto-configurations of the starter need this client. */
    static final String MILLRACE = "io.millrace.spring.MillraceClientAutoConfiguration";

    /** The connections of Spring Data Redis. */
    static final String DATA_REDIS = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration";

    private static final double NANOS_PER_SECOND = 1e9;

    private final RunnerClock clock = new RunnerClock();
    private final ConfigurableApplicationContext context;

    private Application(Class<?> configuration, Map<String, Object> properties) {
        var application = new SpringApplication(configuration);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setBannerMode(Banner.Mode.OFF);
        application.setLogStartupInfo(false);
        application.setRegisterShutdownHook(false);
        application.setDefaultProperties(properties);
        application.addListeners(clock);
        context = application.run();
    }

    /** Starts an application with {@code more} properties. The address of the server must not be an argument. */
    static Application start(Class<?> configuration, Target target, Map<String, Object> more) {
        String url = Connections.url(target);
        Map<String, Object> properties = new HashMap<>(more);
        properties.put("millrace.redis.url", url);
        properties.put("spring.data.redis.url", url);
        properties.put("logging.level.root", "warn");
        return new Application(configuration, properties);
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** The time that the runners took: after them, the application is ready. */
    double secondsOfRunners() {
        return (clock.readyNanos - clock.startedNanos) / NANOS_PER_SECOND;
    }

    @Override
    public void close() {
        context.close();
    }

    /** Used by the thread that starts the application. */
    private static final class RunnerClock implements ApplicationListener<SpringApplicationEvent> {

        private long startedNanos;
        private long readyNanos;

        @Override
        public void onApplicationEvent(SpringApplicationEvent event) {
            if (event instanceof ApplicationStartedEvent) {
                startedNanos = System.nanoTime();
            } else if (event instanceof ApplicationReadyEvent) {
                readyNanos = System.nanoTime();
            }
        }
    }
}
