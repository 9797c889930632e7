// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
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
            "spring.mvc.servlet.path");

    private static final String EXPOSED = "management.endpoints.web.exposure.include";
    private static final Set<String> MAY_BE_EXPOSED = Set.of("health", "prometheus");

    /** Details of the health have addresses and paths. */
    private static final List<String> NEVER =
            List.of("management.endpoint.health.show-details", "management.endpoint.health.show-components");

    private FixedKeys() {}

    /** Throws {@link SettingException} if a key of the environment cannot be used. */
    static void check(Environment environment) {
        for (String key : ABSENT) {
            if (environment.containsProperty(key)) {
                throw refused(key, "The server has one port and fixed paths, which the gate protects.");
            }
        }
        for (String key : NEVER) {
            if (!environment.getProperty(key, "never").equals("never")) {
                throw refused(key, "The health of this server has no details.");
            }
        }
        Set<String> exposed = new TreeSet<>(Binder.get(environment)
                .bind(EXPOSED, Bindable.setOf(String.class))
                .orElse(Set.of()));
        exposed.removeAll(MAY_BE_EXPOSED);
        if (!exposed.isEmpty()) {
            throw refused(
                    EXPOSED,
                    "Other endpoints than health and prometheus show settings or memory, here: " + exposed + ".");
        }
    }

    private static SettingException refused(String key, String reason) {
        return new SettingException(key + " cannot be used. " + reason, "Remove the key.");
    }
}
