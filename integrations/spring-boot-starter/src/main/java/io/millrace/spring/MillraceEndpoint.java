// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.cache.CacheStats;
import io.millrace.client.ClientStats;
import io.millrace.client.RedisClient;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** The endpoint {@code millrace}: the counters of the client and of the caches, and the load jobs. */
@Endpoint(id = "millrace")
final class MillraceEndpoint {

    private final RedisClient client;
    private final Supplier<Map<String, CacheStats>> caches;
    private final LoadJobs jobs;

    /** The content of the endpoint. */
    record Content(
            String server,
            boolean open,
            ClientStats client,
            Map<String, CacheStats> caches,
            Map<String, LoadView> jobs) {}

    MillraceEndpoint(RedisClient client, Supplier<Map<String, CacheStats>> caches, LoadJobs jobs) {
        this.client = client;
        this.caches = caches;
        this.jobs = jobs;
    }

    @ReadOperation
    Content content() {
        return new Content(
                client.options().uri().toString(), client.isOpen(), client.stats(), caches.get(), views(jobs));
    }

    static Map<String, LoadView> views(LoadJobs jobs) {
        Map<String, LoadView> views = new LinkedHashMap<>();
        jobs.names().forEach(name -> views.put(name, jobs.view(name)));
        return views;
    }
}
