// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.RedisUri;
import java.util.Optional;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;
import org.testcontainers.containers.Container;

/** Creates the details of a server in a container of a test. */
final class ContainerDetailsFactory extends ContainerConnectionDetailsFactory<Container<?>, MillraceConnectionDetails> {

    ContainerDetailsFactory() {
        super(ServerImages.NAMES);
    }

    @Override
    protected MillraceConnectionDetails getContainerConnectionDetails(ContainerConnectionSource<Container<?>> source) {
        return new ContainerDetails(source);
    }

    /** The address of a container, which is started when the address is needed. */
    private static final class ContainerDetails extends ContainerConnectionDetails<Container<?>>
            implements DetailsOfStarter {

        ContainerDetails(ContainerConnectionSource<Container<?>> source) {
            super(source);
        }

        @Override
        public RedisUri uri() {
            return RedisUri.of(getContainer().getHost(), getContainer().getMappedPort(ServerImages.PORT));
        }

        @Override
        public Optional<SslBundle> sslBundle() {
            return Optional.ofNullable(getSslBundle());
        }

        @Override
        public String toString() {
            return "a container (from Testcontainers)";
        }
    }
}
