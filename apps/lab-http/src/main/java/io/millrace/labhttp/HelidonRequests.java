// SPDX-License-Identifier: Apache-2.0
package io.millrace.labhttp;

import io.helidon.webserver.WebServer;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.frameworks.HttpRequests;
import java.io.IOException;

/** Requests to a server of Helidon SE with one route. */
public record HelidonRequests(HttpRequests requests) implements Work {

    @Override
    public ReadyWork open(WorkContext context) throws IOException {
        var cache = BareCache.open(context.target());
        var web = WebServer.builder()
                .host(HttpConnection.SERVER)
                .port(0)
                .shutdownHook(false)
                .routing(routing -> routing.get(
                        "/value/{key}",
                        (request, response) -> response.send(cache.values()
                                .get(request.path().pathParameters().get("key")))))
                .build()
                .start();
        return RequestRounds.of(new HelidonServer(web, cache), requests, context.folder());
    }

    private record HelidonServer(WebServer web, BareCache cache) implements ValueServer {

        @Override
        public int port() {
            return web.port();
        }

        @Override
        public long computations() {
            return cache.computations();
        }

        @Override
        public void close() {
            web.stop();
            cache.close();
        }
    }
}
