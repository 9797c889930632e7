// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

class FixedKeysTest {

    private static StandardEnvironment environment(String key, String value) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("test", Map.of(key, value)));
        ConfigurationPropertySources.attach(environment);
        return environment;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            management.server.port                        | 9090
            management.server.port                        | -1
            management.endpoints.web.base-path            | /problems
            management.endpoints.web.basePath             | /problems
            management.endpoints.web.exposure.include     | *
            management.endpoints.web.exposure.include     | health,env
            management.endpoints.web.exposure.include[0]  | heapdump
            management.endpoint.health.show-details       | always
            management.endpoint.health.show-components    | when-authorized
            management.endpoint.health.group.readiness.show-details     | always
            management.endpoint.health.group.liveness.showComponents    | always
            management.endpoint.health.group.own.show-components        | when-authorized
            server.servlet.context-path                   | /app
            spring.mvc.servlet.path                       | /app
            server.forward-headers-strategy               | native
            server.forwardHeadersStrategy                 | FRAMEWORK
            server.tomcat.remoteip.remote-ip-header       | x-forwarded-for
            server.tomcat.remoteip.protocolHeader         | x-forwarded-proto
            """)
    void keyThatGoesAroundTheGateIsRefused(String key, String value) {
        assertThatThrownBy(() -> FixedKeys.check(environment(key, value)))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("cannot be used");
    }

    @Test
    void otherKeysAndFewerEndpointsAreAccepted() {
        assertThatCode(() -> FixedKeys.check(environment("management.endpoints.web.exposure.include", "health")))
                .doesNotThrowAnyException();
        assertThatCode(() -> FixedKeys.check(environment("management.endpoint.health.show-details", "never")))
                .doesNotThrowAnyException();
        assertThatCode(() -> FixedKeys.check(environment("management.endpoint.health.group.own.include", "ping")))
                .doesNotThrowAnyException();
        assertThatCode(() -> FixedKeys.check(environment("server.forward-headers-strategy", "none")))
                .doesNotThrowAnyException();
        assertThatCode(() -> FixedKeys.check(environment("server.port", "0"))).doesNotThrowAnyException();
    }
}
