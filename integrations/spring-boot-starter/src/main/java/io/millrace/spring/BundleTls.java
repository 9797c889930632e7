// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.TlsOptions;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/** TLS options with the keys and the trusted authorities of an SSL bundle. */
final class BundleTls {

    private static final String KEY = RedisProperties.PREFIX + ".ssl.bundle";

    private BundleTls() {}

    /** Returns TLS options with a bundle that does not change. */
    static TlsOptions of(SslBundle bundle) {
        SSLContext context = contextOf(bundle, "the SSL bundle of the service connection");
        return TlsOptions.using(() -> context);
    }

    /** Returns TLS options with the bundle {@code name}. A reloaded bundle is used by the next connection. */
    static TlsOptions named(String name, @Nullable SslBundles bundles) {
        if (bundles == null) {
            throw new KeyException(
                    KEY + "=" + name + " names a bundle, and there are no SSL bundles",
                    "Define the bundle " + "below spring.ssl.bundle.");
        }
        try {
            // The handler is added first. So a reload between the two calls is not lost.
            AtomicReference<@Nullable SSLContext> reloaded = new AtomicReference<>();
            bundles.addBundleUpdateHandler(name, bundle -> reloaded.set(contextOf(bundle, KEY + "=" + name)));
            SSLContext first = contextOf(bundles.getBundle(name), KEY + "=" + name);
            return TlsOptions.using(() -> {
                SSLContext newest = reloaded.get();
                return newest == null ? first : newest;
            });
        } catch (NoSuchSslBundleException missing) {
            throw new KeyException(
                    KEY + "=" + name + " does not exist; the bundles are " + bundles.getBundleNames(),
                    "Define the bundle below spring.ssl.bundle, or name one of these bundles.",
                    missing);
        }
    }

    private static SSLContext contextOf(SslBundle bundle, String source) {
        if (bundle.getOptions().isSpecified()) {
            throw new KeyException(
                    source + " has options for ciphers or protocols, which the client of Millrace cannot apply",
                    "Remove the options of the bundle. The JVM chooses the protocol and the ciphers.");
        }
        return bundle.createSslContext();
    }
}
