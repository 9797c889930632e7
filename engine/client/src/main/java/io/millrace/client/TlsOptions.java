// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.nio.file.Path;
import java.util.Optional;

/**
 * How a TLS connection is secured.
 *
 * @param caCertificate PEM file of the authorities to trust; empty means those of the JVM
 * @param certificate PEM file of the client's certificate and its chain; needs {@code privateKey}
 * @param privateKey PEM file of the client's key, PKCS#8, not encrypted
 * @param serverName name to ask for and to verify; empty means the host's
 * @param insecure accept any certificate for any host: for tests only
 */
public record TlsOptions(
        Optional<Path> caCertificate,
        Optional<Path> certificate,
        Optional<Path> privateKey,
        Optional<String> serverName,
        boolean insecure) {

    /** Verified against the JVM's authorities and the host's name, without a client certificate. */
    public static final TlsOptions DEFAULT =
            new TlsOptions(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), false);

    public TlsOptions {
        if (certificate.isPresent() != privateKey.isPresent()) {
            throw new IllegalArgumentException("a client certificate and its private key are only of use together");
        }
    }
}
