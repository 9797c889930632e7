// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.Collection;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Replaces addresses that the nodes of a cluster or Sentinels announce, and that this client cannot reach, for example
 * because of NAT or of containers. Applies to each address that a node or a Sentinel names, but not to the addresses of the
 * {@link RedisUri}. Immutable.
 *
 * <p>Each entry has the form {@code host:port=host:port}, or {@code host=host} for all ports. An entry with a port precedes
 * an entry without a port. An IPv6 address has brackets: {@code [::1]:7000=localhost:17000}. Upper and lower case of a host
 * that is announced do not matter.
 */
public final class AddressMap {

    /** Replaces no address. */
    public static final AddressMap NONE = new AddressMap(Map.of());

    private static final Pattern ADDRESS =
            Pattern.compile("(\\[[^\\[\\]\\s/@=]+\\]|[^\\[\\]\\s/@=:]+)(?::([0-9]{1,5}))?");

    private static final int HIGHEST_PORT = RedisUri.PORT.max();

    /**
     * An address of an entry.
     *
     * @param host name or address, an IPv6 address without brackets
     * @param port port, or {@link #ALL_PORTS}
     */
    private record Address(String host, int port) {

        static final int ALL_PORTS = 0;

        Address withLowerCase() {
            return new Address(host.toLowerCase(Locale.ROOT), port);
        }

        @Override
        public String toString() {
            String name = host.indexOf(':') < 0 ? host : "[" + host + "]";
            return port == ALL_PORTS ? name : name + ":" + port;
        }
    }

    /** The replacement of each address. The hosts of the keys have lower case. */
    private final Map<Address, Address> entries;

    private AddressMap(Map<Address, Address> entries) {
        this.entries = Map.copyOf(entries);
    }

    /**
     * Returns a map of entries of the form {@code host:port=host:port} or {@code host=host}.
     *
     * @throws IllegalArgumentException if an entry has another form, or if two entries replace the same address; the message
     *     quotes the entry
     */
    public static AddressMap of(Collection<String> entries) {
        AddressMap map = NONE;
        for (String entry : Objects.requireNonNull(entries, "entries")) {
            map = map.with(entry);
        }
        return map;
    }

    /**
     * Returns a copy with one more entry of the form {@code host:port=host:port} or {@code host=host}.
     *
     * @throws IllegalArgumentException if {@code entry} has another form, or replaces an address that this map already
     *     replaces; the message quotes the entry
     */
    public AddressMap with(String entry) {
        int equals = Objects.requireNonNull(entry, "entry").indexOf('=');
        if (equals < 0) {
            throw wrong(entry, "there is no '='");
        }
        Address from = address(entry, entry.substring(0, equals)).withLowerCase();
        Address to = address(entry, entry.substring(equals + 1));
        if ((from.port == Address.ALL_PORTS) != (to.port == Address.ALL_PORTS)) {
            throw wrong(entry, "one address has a port, and the other has none");
        }
        Map<Address, Address> more = new HashMap<>(entries);
        if (more.putIfAbsent(from, to) != null) {
            throw wrong(entry, "another entry already replaces " + from);
        }
        return new AddressMap(more);
    }

    private static Address address(String entry, String text) {
        Matcher form = ADDRESS.matcher(text);
        if (!form.matches()) {
            throw wrong(entry, "'" + text + "' is not an address");
        }
        String host = form.group(1);
        String digits = form.group(2);
        int port = digits == null ? Address.ALL_PORTS : Integer.parseInt(digits);
        if (digits != null && (port < 1 || port > HIGHEST_PORT)) {
            throw wrong(entry, "the port " + digits + " is not from 1 to " + HIGHEST_PORT);
        }
        return new Address(host.startsWith("[") ? host.substring(1, host.length() - 1) : host, port);
    }

    private static IllegalArgumentException wrong(String entry, String why) {
        return new IllegalArgumentException("\"" + entry + "\" does not map an address: " + why
                + ". Expected form: host:port=host:port, or host=host");
    }

    /** Returns the address at which this client reaches the server that {@code announced} names. */
    public RedisUri.Tcp reachable(RedisUri.Tcp announced) {
        if (entries.isEmpty()) {
            return announced;
        }
        Address exact = new Address(announced.host(), announced.port()).withLowerCase();
        @Nullable Address to = entries.get(exact);
        if (to != null) {
            return new RedisUri.Tcp(to.host, to.port);
        }
        to = entries.get(new Address(exact.host, Address.ALL_PORTS));
        return to == null ? announced : new RedisUri.Tcp(to.host, announced.port());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AddressMap that && entries.equals(that.entries);
    }

    @Override
    public int hashCode() {
        return entries.hashCode();
    }

    /** The entries, sorted: {@code AddressMap[10.0.0.7:7000=localhost:17000]}. */
    @Override
    public String toString() {
        Map<String, Address> sorted = new TreeMap<>();
        entries.forEach((from, to) -> sorted.put(from.toString(), to));
        return "AddressMap" + sorted.toString().replace('{', '[').replace('}', ']');
    }
}
