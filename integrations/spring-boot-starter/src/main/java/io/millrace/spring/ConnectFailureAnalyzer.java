// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.exception.ConnectException;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Describes why the client could not connect at start, with the source of the address and the keys that help. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class ConnectFailureAnalyzer extends AbstractFailureAnalyzer<ConnectException> {

    private final @Nullable BeanFactory beanFactory;

    ConnectFailureAnalyzer(@Nullable BeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, ConnectException failure) {
        if (findCause(rootFailure, FailedLoadException.class) != null) {
            return null;
        }
        String message = String.valueOf(failure.getMessage());
        String address = address();
        String hint =
                address.startsWith("rediss") ? " A server without TLS needs a URL that begins with redis://." : "";
        return new FailureAnalysis(
                "The client of Millrace cannot connect to " + address + ": " + message
                        + (message.endsWith(".") ? "" : "."),
                action(failure, message) + hint,
                failure);
    }

    /** The address and its source; the details of the application may be missing. */
    private String address() {
        try {
            MillraceConnectionDetails details = beanFactory == null
                    ? null
                    : beanFactory
                            .getBeanProvider(MillraceConnectionDetails.class)
                            .getIfAvailable();
            return details == null ? "Redis" : text(details);
        } catch (BeansException unknown) {
            return "Redis";
        }
    }

    /** The text of details of the application may contain the login. */
    private static String text(MillraceConnectionDetails details) {
        return details instanceof DetailsOfStarter
                ? details.toString()
                : details.uri() + " (from a bean of type MillraceConnectionDetails)";
    }

    private static String action(ConnectException failure, String message) {
        return switch (failure.reason()) {
            case UNREACHABLE ->
                "Start the server, or correct millrace.redis.url. With millrace.redis.patience=30s the start waits for the "
                        + "server. With millrace.redis.required=false the application starts without it.";
            case AUTHENTICATION ->
                message.contains("NOAUTH")
                        ? "The server requires a password: set millrace.redis.password, or a URL with a password."
                        : "The server refuses the user or the password: correct millrace.redis.user and "
                                + "millrace.redis.password, or the login in millrace.redis.url.";
            case TLS ->
                "Set millrace.redis.ssl.bundle to a bundle whose trust store has the authority of the server's "
                        + "certificate. If the certificate has another name than the host, set "
                        + "millrace.redis.ssl.server-name.";
            case HANDSHAKE ->
                "Check that a Redis or Valkey server listens at this address, and whether it requires TLS (rediss://).";
        };
    }
}
