// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * What a JDBC URL may not ask for: to load a class by name, to read or write files beside the database, to run SQL on
 * connecting, to look names up in JNDI, to go through another driver, or to read a result whole into memory.
 *
 * <p>Files of certificates and keys may be named, since TLS is of no use without them.
 *
 * <p>A property is looked for wherever one could stand ({@code ?a=b&c=d}, {@code ;a=b}, {@code (a=b)}), in any case, behind
 * percent signs and backslashes, since drivers undo these in ways of their own.
 */
final class JdbcUrlRules {

    /** Parts of names that in every driver we know stand for a class to load, or for what comes to the same. */
    private static final List<String> REFUSED_PARTS = List.of(
            "factory",
            "interceptor",
            "classname",
            "callback",
            "eventlistener",
            "eventhandler",
            "deserializ",
            "serializer",
            "localinfile",
            "urlinlocal",
            "jndi",
            "jaas",
            "loadextension",
            "plugin");

    private static final Set<String> REFUSED = Set.of(
            // PostgreSQL; the last two name files of its own
            "sslhostnameverifier",
            "loggerfile",
            "service",
            // MySQL, MariaDB
            "propertiestransform",
            "clientinfoprovider",
            "logger",
            "useconfigs",
            "loadbalancestrategy",
            "haloadbalancestrategy",
            "customcharsetmapping",
            "initsql",
            "sessionvariables",
            "credentialtype",
            "tlssockettype",
            "connectionattributes",
            // H2
            "init",
            "tracelevelfile",
            "tracelevelsystemout",
            "tracemaxfilesize",
            "authenticator",
            "authrealm",
            "javaobjectserializer",
            // SQL Server, DB2, Derby, Oracle
            "trustmanagerclass",
            "socketfactoryclass",
            "accesstokencallbackclass",
            "tracefile",
            "tracedirectory",
            "restorefrom",
            "createfrom",
            "rollforwardrecoveryfrom",
            "tnsadmin");

    /** Drivers that hand on to another driver what stands behind their name, or start programs. */
    private static final Set<String> REFUSED_SCHEMES = Set.of(
            "log4jdbc",
            "p6spy",
            "jdbcdslog",
            "otel",
            "tracing",
            "tc",
            "sentry",
            "jamon",
            "jndi",
            "weblogic",
            "pool",
            "apache",
            "proxool",
            "calcite",
            "aws-wrapper",
            "odbc",
            "datadog");

    private JdbcUrlRules() {}

    /** What is wrong with {@code url}; empty if it may be used. Never holds a value of the URL, only names. */
    static Optional<String> refusal(String url) {
        String plain = undone(url);
        String[] parts = plain.split(":", 4);
        if (parts.length < 3 || !parts[0].equals("jdbc")) {
            return Optional.of("it does not look like jdbc:name:…");
        }
        if (REFUSED_SCHEMES.contains(parts[1])) {
            return Optional.of("jdbc:" + parts[1] + ": stands for another driver; give that one's URL");
        }
        if (parts[1].equals("sqlite") && parts[2].isEmpty() && parts.length == 4 && parts[3].startsWith("resource")) {
            return Optional.of("jdbc:sqlite::resource: is fetched from elsewhere; give a file");
        }
        if (parts[1].equals("oracle") && plain.contains("@ldap")) {
            return Optional.of("its host is to be looked up in JNDI; give the host");
        }
        return property(plain);
    }

    private static Optional<String> property(String plain) {
        String[] tokens = plain.split("[?&;,()#]", -1);
        for (int i = 0; i < tokens.length; i++) {
            int equals = tokens[i].indexOf('=');
            if (i == 0 && !beginsProperties(tokens[i], equals)) {
                continue;
            }
            String spelled = (equals < 0
                            ? tokens[i]
                            : tokens[i].substring(i > 0 ? 0 : tokens[i].lastIndexOf(':', equals) + 1, equals))
                    .strip();
            String name = spelled.replaceAll("[^a-z0-9]", "");
            if (REFUSED.contains(name) || (equals >= 0 && REFUSED_PARTS.stream().anyMatch(name::contains))) {
                return Optional.of("its property " + spelled + " is not allowed");
            }
            if (name.equals("preferquerymode") && tokens[i].contains("simple")) {
                return Optional.of("preferQueryMode=simple would read the whole result into memory");
            }
        }
        return Optional.empty();
    }

    /** Whether the part up to the first separator ends in a property already: {@code jdbc:db2://host/name:a=b}. */
    private static boolean beginsProperties(String token, int equals) {
        return equals >= 0 && token.indexOf('/', token.lastIndexOf(':', equals)) < 0;
    }

    /** {@code url} in lower case, with what could hide a name undone. */
    private static String undone(String url) {
        String plain = url;
        for (int round = 0; round < 3 && plain.indexOf('%') >= 0; round++) {
            plain = decoded(plain);
        }
        // Upper case first: H2 does it, and it turns letters such as the dotless i into plain ones.
        return plain.replace("\\", "").toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT);
    }

    /** {@code text} with every {@code %41} replaced, and what is none left as it is. */
    static String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return decodedInPart(text);
        }
    }

    private static String decodedInPart(String text) {
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean escape = c == '%'
                    && i + 2 < text.length()
                    && Character.digit(text.charAt(i + 1), 16) >= 0
                    && Character.digit(text.charAt(i + 2), 16) >= 0;
            plain.append(escape ? (char) Integer.parseInt(text.substring(i + 1, i + 3), 16) : c);
            i += escape ? 2 : 0;
        }
        return plain.toString();
    }
}
