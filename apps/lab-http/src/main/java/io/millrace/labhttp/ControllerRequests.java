// SPDX-License-Identifier: Apache-2.0
package io.millrace.labhttp;

import io.millrace.cache.LoadingCache;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.frameworks.HttpRequests;
import java.io.IOException;
import java.util.Map;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.HttpEncodingAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Requests to a bare controller, with the parts that the starter of Spring MVC configures. */
public record ControllerRequests(HttpRequests requests) implements Work {

    /** The application. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        TomcatServletWebServerAutoConfiguration.class,
        DispatcherServletAutoConfiguration.class,
        WebMvcAutoConfiguration.class,
        HttpMessageConvertersAutoConfiguration.class,
        HttpEncodingAutoConfiguration.class
    })
    @Import(ValueController.class)
    static class ControllerApplication {}

    /** The only route. */
    @RestController
    static class ValueController {

        private final LoadingCache<String> values;

        ValueController(LoadingCache<String> values) {
            this.values = values;
        }

        @GetMapping("/value/{key}")
        String value(@PathVariable("key") String key) {
            return values.get(key);
        }
    }

    @Override
    public ReadyWork open(WorkContext context) throws IOException {
        var cache = BareCache.open(context.target());
        var application = SpringServer.start(
                ControllerApplication.class,
                Map.of(),
                beans -> beans.getBeanFactory().registerSingleton("values", cache.values()));
        var server = new SpringServer(application, cache::computations, cache::close);
        return RequestRounds.of(server, requests, context.folder());
    }
}
