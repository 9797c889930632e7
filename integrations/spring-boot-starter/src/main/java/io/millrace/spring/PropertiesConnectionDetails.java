// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.RedisUri;
import java.util.Optional;
import org.springframework.util.StringUtils;

/**
 * The address of {@code millrace.redis.url}, or {@code redis://localhost:6379}. The keys of the login and of TLS apply to
 * the result. {@link BundleTls} reads the SSL bundle by its name, so these details have none.
 *
 * @param source name of the source of the address, for messages
 */
record PropertiesConnectionDetails(RedisUri uri, String source) implements DetailsOfStarter {

    private static final String LOCAL_HOST = "localhost";

    /** Returns the details of the keys {@code millrace.redis.*}. */
    static PropertiesConnectionDetails of(RedisProperties keys) {
        String url = keys.url();
        return url != null && StringUtils.hasText(url)
                ? of(parse(url), keys, RedisProperties.PREFIX + ".url")
                : of(RedisUri.of(LOCAL_HOST, RedisUri.PORT.defaultValue()), keys, "the default");
    }

    private static PropertiesConnectionDetails of(RedisUri uri, RedisProperties keys, String source) {
        return new PropertiesConnectionDetails(withLogin(uri, keys, source), source);
    }

    /** Whether the keys contain an address. */
    static boolean hasAddress(RedisProperties keys) {
        return StringUtils.hasText(keys.url());
    }

    private static RedisUri parse(String url) {
        try {
            return RedisUri.parse(url);
        } catch (IllegalArgumentException malformed) {
            throw new KeyException(
                    RedisProperties.PREFIX + ".url is " + malformed.getMessage(),
                    "Correct the URL. A user or a password with special characters must be percent-encoded.",
                    malformed);
        }
    }

    /**
     * Returns {@code uri} with the login of the keys.
     *
     * @param source name of the source of {@code uri}, for a message
     */
    static RedisUri withLogin(RedisUri uri, RedisProperties keys, String source) {
        String password = Optional.ofNullable(keys.password()).orElse("");
        String user = Optional.ofNullable(keys.user()).orElse("");
        if (password.isEmpty() && user.isEmpty()) {
            return uri;
        }
        if (uri.password().isPresent()) {
            throw new KeyException(
                    source + " contains a password, and " + RedisProperties.PREFIX
                            + (password.isEmpty() ? ".user" : ".password") + " is set",
                    "Keep the login in one place.");
        }
        if (password.isEmpty()) {
            throw new KeyException(
                    RedisProperties.PREFIX + ".user=" + user + " has no password",
                    "Set " + RedisProperties.PREFIX + ".password, or remove the user.");
        }
        return uri.withLogin(user, password);
    }

    @Override
    public String toString() {
        return uri + " (from " + source + ")";
    }
}
