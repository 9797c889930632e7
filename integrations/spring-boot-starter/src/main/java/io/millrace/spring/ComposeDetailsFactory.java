// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.RedisUri;
import java.util.Optional;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionDetailsFactory;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.boot.ssl.SslBundle;

/** Creates the details of a server that Docker Compose runs. */
final class ComposeDetailsFactory extends DockerComposeConnectionDetailsFactory<MillraceConnectionDetails> {

    ComposeDetailsFactory() {
        super(ServerImages.NAMES.toArray(String[]::new));
    }

    @Override
    protected MillraceConnectionDetails getDockerComposeConnectionDetails(DockerComposeConnectionSource source) {
        return new ComposeDetails(source.getRunningService());
    }

    /** The address of a service. */
    private static final class ComposeDetails extends DockerComposeConnectionDetails implements DetailsOfStarter {

        private final RedisUri uri;
        private final Optional<SslBundle> bundle;

        ComposeDetails(RunningService service) {
            super(service);
            uri = RedisUri.of(service.host(), service.ports().get(ServerImages.PORT));
            bundle = Optional.ofNullable(getSslBundle(service));
        }

        @Override
        public RedisUri uri() {
            return uri;
        }

        @Override
        public Optional<SslBundle> sslBundle() {
            return bundle;
        }

        @Override
        public String toString() {
            return uri + " (from Docker Compose)";
        }
    }
}
