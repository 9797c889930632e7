// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.millrace.cache.Cache;
import io.millrace.cache.LoadingCache;
import io.millrace.client.RedisClient;
import io.millrace.server.api.CacheList;
import io.millrace.server.api.ChosenForm;
import io.millrace.server.api.KnownParameters;
import io.millrace.server.api.RequestTimes;
import io.millrace.server.api.ValueCache;
import io.millrace.server.api.ValueRoute;
import io.millrace.server.api.ValueSource;
import io.millrace.server.gate.Gate;
import io.millrace.server.gate.GateOptions;
import io.millrace.server.gate.ProblemValve;
import io.millrace.server.gate.Sessions;
import io.millrace.server.loads.LoadLog;
import io.millrace.spring.MillraceCacheManager;
import java.net.InetAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.catalina.core.StandardHost;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.WebMvcObservationAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.web.filter.RequestContextFilter;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.type.LogicalType;

/** The parts of the server and how they are connected. */
@SpringBootApplication(
        proxyBeanMethods = false,
        exclude = {ErrorMvcAutoConfiguration.class, WebMvcObservationAutoConfiguration.class})
@EnableConfigurationProperties(ServerKeys.class)
class ServerApplication implements WebMvcConfigurer {

    private static final int MAX_HEADERS = 50;

    private static final System.Logger LOGGER = System.getLogger("io.millrace.server");

    @Bean
    static KeysBesideTheStarter keysBesideTheStarter() {
        return new KeysBesideTheStarter();
    }

    @Bean
    GateOptions gateOptions(ServerKeys keys, ServerProperties http, Environment environment) {
        FixedKeys.check(environment);
        Duration bodyTime = environment.getRequiredProperty("server.tomcat.connection-timeout", Duration.class);
        InetAddress address = http.getAddress();
        boolean loopback = address != null && address.isLoopbackAddress();
        boolean tls = http.getSsl() != null && http.getSsl().isEnabled();
        GateOptions options =
                TokenReader.options(keys, environment.getProperty(TokenReader.VARIABLE), loopback, tls, bodyTime);
        if (!loopback && !tls) {
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    "the token and all data are readable on the network: set server.ssl.bundle, or put a proxy with TLS"
                            + " in front");
        }
        return options;
    }

    @Bean
    Sessions sessions() {
        return new Sessions(System::nanoTime);
    }

    @Bean
    FilterRegistrationBean<Gate> gate(GateOptions options, Sessions sessions) {
        FilterRegistrationBean<Gate> gate = new FilterRegistrationBean<>(new Gate(options, sessions, System::nanoTime));
        gate.setOrder(Ordered.HIGHEST_PRECEDENCE + 1);
        return gate;
    }

    /** Before the gate, so that refusals are counted, too. */
    @Bean
    FilterRegistrationBean<RequestTimes> requestTimes(MeterRegistry meters) {
        FilterRegistrationBean<RequestTimes> times = new FilterRegistrationBean<>(new RequestTimes(meters));
        times.setOrder(Ordered.HIGHEST_PRECEDENCE);
        return times;
    }

    /** The dispatcher of Spring MVC makes the context of a request itself. This filter would do it a second time. */
    @Bean
    FilterRegistrationBean<RequestContextFilter> noRequestContextFilter() {
        FilterRegistrationBean<RequestContextFilter> none = new FilterRegistrationBean<>(new RequestContextFilter());
        none.setEnabled(false);
        return none;
    }

    /** Tomcat answers requests that do not reach the gate. */
    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> problemsOfTomcat() {
        return factory -> {
            factory.addContextCustomizers(context ->
                    ((StandardHost) context.getParent()).setErrorReportValveClass(ProblemValve.class.getName()));
            factory.addConnectorCustomizers(connector -> {
                if (!connector.setProperty("maxHeaderCount", Integer.toString(MAX_HEADERS))) {
                    throw new IllegalStateException("Tomcat does not know its limit of headers");
                }
            });
        };
    }

    /** Bodies with unknown, repeated or mistyped members are refused. */
    @Bean
    JsonMapperBuilderCustomizer strictBodies() {
        return mapper -> mapper.enable(
                        DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
                        DeserializationFeature.FAIL_ON_TRAILING_TOKENS,
                        DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .withCoercionConfig(
                        LogicalType.Textual,
                        texts -> texts.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                                .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                                .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail));
    }

    @Bean
    static RequestMappingHandlerMapping valueRoute() {
        return new ValueRoute();
    }

    @Override
    public void addInterceptors(InterceptorRegistry interceptors) {
        interceptors.addInterceptor(new KnownParameters());
        interceptors.addInterceptor(new ChosenForm());
    }

    @Bean(destroyMethod = "close")
    LoadingCache<String> valuesByKey(RedisClient client, ServerKeys keys, ObjectProvider<ValueSource> source) {
        return ValueCache.open(client, keys.values(), source.getIfAvailable());
    }

    @Bean
    CacheList cacheList(LoadingCache<String> values, ObjectProvider<MillraceCacheManager> spring, ServerKeys keys) {
        Map<String, Cache<?>> caches = new LinkedHashMap<>();
        caches.put(ValueCache.NAME, values.cache());
        spring.ifAvailable(all -> all.getCacheNames().forEach(name -> {
            org.springframework.cache.Cache cache = all.getCache(name);
            if (cache != null && cache.getNativeCache() instanceof Cache<?> found) {
                add(caches, name, found);
            }
        }));
        return new CacheList(caches, keys.showValues());
    }

    /** Adds a cache of Spring. A second cache of the same name would hide the first one. */
    static void add(Map<String, Cache<?>> caches, String name, Cache<?> cache) {
        if (caches.putIfAbsent(name, cache) != null) {
            throw new SettingException(
                    "A cache of Spring has the name \"" + name + "\", which the cache of the route /value has.",
                    "Give the cache of Spring another name.");
        }
    }

    /** The tags of timers of commands have the address of Redis, and a meter of the disk has the path of the working folder. */
    @Bean
    static MeterFilter withoutAddressesAndPaths() {
        return MeterFilter.ignoreTags("server.address", "server.port", "path");
    }

    @Bean(destroyMethod = "close")
    LoadLog loadLog(ServerKeys keys) {
        return keys.data() == null ? LoadLog.inMemory() : LoadLog.open(keys.data());
    }
}
