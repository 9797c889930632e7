// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Starts the server with a private Redis and sends some requests, so that Java can record the classes for the start-up cache.
 * The launcher runs this class once, with the options of Java that make the cache.
 */
public final class StartUpTraining {

    private StartUpTraining() {}

    /** Runs the training and exits. Prints what the server logs, and ignores the arguments. */
    public static void main(String[] args) throws IOException, InterruptedException {
        try (ConfigurableApplicationContext context = Server.start(
                        "--spring.profiles.active=" + DemoConfiguration.PROFILE,
                        "--server.port=0",
                        "--millrace.server.values.computation=1ms");
                HttpClient client = HttpClient.newHttpClient()) {
            for (String path :
                    List.of("/value/k", "/value/k", "/caches", "/jobs", "/actuator/health/readiness", "/none")) {
                HttpRequest request = HttpRequest.newBuilder(URI.create(Server.url(context) + path))
                        .build();
                HttpResponse<Void> unused = client.send(request, HttpResponse.BodyHandlers.discarding());
            }
        }
        System.exit(0);
    }
}
