// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.gate;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Decides whether the header {@code Host} names this server, and whether an origin is the origin of this server. */
final class HostNames {

    /** An IPv4 address of loopback: only four decimal numbers, because browsers and resolvers differ on other forms. */
    private static final Pattern LOOPBACK_4 = Pattern.compile("127\\.(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})");

    private static final Pattern PORT = Pattern.compile("\\d{1,5}");
    private static final String LOOPBACK_6 = "[::1]";

    /** A name, an IPv4 address, or an IPv6 address in brackets, as in {@code Host}, without a port. */
    private static final Pattern NAME = Pattern.compile("[\\w-]+(?:\\.[\\w-]+)*\\.?|\\[[0-9a-fA-F:.]+\\]");

    private final Set<String> allowed;

    HostNames(Set<String> allowed) {
        this.allowed = allowed;
    }

    /** Whether {@code Host} can have this name. Other texts, such as a name with a port, would never be found. */
    static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    /** Whether the value of {@code Host} is a name of loopback or an allowed name, with any port. */
    boolean isOurs(@Nullable String host) {
        String name = host == null ? null : name(host.toLowerCase(Locale.ROOT));
        return name != null
                && (name.equals("localhost")
                        || name.equals(LOOPBACK_6)
                        || LOOPBACK_4.matcher(name).matches()
                        || allowed.contains(name));
    }

    /** Whether {@code origin} has the host and the port of the value of {@code Host}. A proxy may have another scheme. */
    boolean isSameOrigin(String origin, @Nullable String host) {
        String lower = origin.toLowerCase(Locale.ROOT);
        String scheme = lower.startsWith("https://") ? "https://" : lower.startsWith("http://") ? "http://" : null;
        if (scheme == null || host == null) {
            return false;
        }
        String port = scheme.equals("https://") ? ":443" : ":80";
        return withoutPort(lower.substring(scheme.length()), port)
                .equals(withoutPort(host.toLowerCase(Locale.ROOT), port));
    }

    private static String withoutPort(String authority, String port) {
        return authority.endsWith(port) ? authority.substring(0, authority.length() - port.length()) : authority;
    }

    /** The name in {@code name:port}; null if the text has another form. */
    private static @Nullable String name(String host) {
        int end = host.startsWith("[") ? host.indexOf(']') + 1 : host.indexOf(':');
        if (end == 0) {
            return null;
        }
        if (end < 0 || end == host.length()) {
            return host;
        }
        boolean hasPort =
                host.charAt(end) == ':' && PORT.matcher(host.substring(end + 1)).matches();
        return hasPort ? host.substring(0, end) : null;
    }
}
