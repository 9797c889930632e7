// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.RedisUri;
import java.util.Optional;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * The address of the server, with the login. The first of these sources gives the details:
 *
 * <ol>
 *   <li>a bean of this type: of the application, or of a service connection (Testcontainers, Docker Compose)
 *   <li>{@code millrace.redis.url}
 *   <li>the {@code DataRedisConnectionDetails} of Spring Data Redis
 *   <li>{@code redis://localhost:6379}
 * </ol>
 */
public interface MillraceConnectionDetails extends ConnectionDetails {

    /** The address and the login. Called once for each client. */
    RedisUri uri();

    /** The keys and the trusted authorities of TLS. If present, the client uses TLS. */
    default Optional<SslBundle> sslBundle() {
        return Optional.empty();
    }
}
