// SPDX-License-Identifier: Apache-2.0
package io.millrace.labspring;

import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.frameworks.CachedCalls;
import java.util.Map;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Import;

/** The cache manager of the starter. */
public record MillraceCacheable(CachedCalls calls) implements Work {

    /** An application with the cached method. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = CachedPrices.DATA_SOURCE)
    @EnableCaching
    @Import(CachedPrices.class)
    static class MillraceCaching {}

    @Override
    public ReadyWork open(WorkContext context) {
        Map<String, Object> properties = Map.of(
                "millrace.cache.enabled",
                true,
                "millrace.cache.defaults.time-to-live",
                "1h",
                Application.EXCLUDE,
                Application.DATA_REDIS);
        return new CacheRounds(Application.start(MillraceCaching.class, context.target(), properties), calls);
    }
}
