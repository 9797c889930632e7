// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.web.server.autoconfigure.ServerProperties.ForwardHeadersStrategy;
import org.springframework.core.env.Environment;

/**
 * Refuses keys of Spring Boot that would open a way around the gate, or show more than the routes show. A second web server of
 * the actuator, for example, has no gate.
 */
final class FixedKeys {

    /** Keys without a value. Another path would change which requests need no token. */
    private static final List<String> ABSENT = List.of(
            "management.server.port",
            "management.server.address",
            "management.server.base-path",
            "management.endpoints.web.base-path",
            "management.endpoints.web.path-mapping.health",
            "management.endpoints.web.path-mapping.prometheus",
            "server.servlet.context-path",
            "server.tomcat.remoteip.protocol-header",
            "server.tomcat.remoteip.remote-ip-header",
            "spring.mvc.servlet.path");

    /** Tomcat would take the address of a client from a header. Each client can send any header, so no limit per address would hold. */
    private static final String FORWARDED = "server.forward-headers-strategy";

    private static final String EXPOSED = "management.endpoints.web.exposure.include";
    private static final Set<String> MAY_BE_EXPOSED = Set.of("health", "prometheus");

    private static final String HEALTH = "management.endpoint.health";

    /** What an answer of the health, or of a group of the health, shows. */
    record HealthKeys(
            @Nullable String showDetails, @Nullable String showComponents) {}

    private FixedKeys() {}

    /** Throws {@link SettingException} if a key of the environment cannot be used. */
    static void check(Environment environment) {
        for (String key : ABSENT) {
            if (environment.containsProperty(key)) {
                throw refused(
                        key,
                        "The server has one port, fixed paths, and the addresses of its connections, which the gate needs.");
            }
        }
        Binder binder = Binder.get(environment);
        if (binder.bind(FORWARDED, ForwardHeadersStrategy.class).orElse(ForwardHeadersStrategy.NONE)
                != ForwardHeadersStrategy.NONE) {
            throw refused(FORWARDED, "The limits per address need the addresses of the connections.");
        }
        binder.bind(HEALTH, HealthKeys.class).ifBound(shown -> checkDetails(HEALTH, shown));
        binder.bind(HEALTH + ".group", Bindable.mapOf(String.class, HealthKeys.class))
                .ifBound(groups -> groups.forEach((name, shown) -> checkDetails(HEALTH + ".group." + name, shown)));
        Set<String> exposed =
                new TreeSet<>(binder.bind(EXPOSED, Bindable.setOf(String.class)).orElse(Set.of()));
        exposed.removeAll(MAY_BE_EXPOSED);
        if (!exposed.isEmpty()) {
            throw refused(
                    EXPOSED,
                    "Other endpoints than health and prometheus show settings or memory, here: " + exposed + ".");
        }
    }

    /** Details of the health have addresses and paths. */
    private static void checkDetails(String prefix, HealthKeys shown) {
        checkDetails(prefix + ".show-details", shown.showDetails());
        checkDetails(prefix + ".show-components", shown.showComponents());
    }

    private static void checkDetails(String key, @Nullable String value) {
        if (value != null && !value.equals("never")) {
            throw refused(key, "The health of this server has no details.");
        }
    }

    private static SettingException refused(String key, String reason) {
        return new SettingException(key + " cannot be used. " + reason, "Remove the key.");
    }
}
