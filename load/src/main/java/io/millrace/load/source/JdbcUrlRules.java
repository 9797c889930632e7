// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The rules for JDBC URLs. A URL must not load a class by name, read or write other files, run SQL when connecting,
 * look up names in JNDI, call another driver, or read a whole result into memory.
 *
 * <p>A URL may name files of certificates and keys, because TLS needs them.
 *
 * <p>The rules find a property at every position ({@code ?a=b&c=d}, {@code ;a=b}, {@code (a=b)}), in upper and lower
 * case, and with percent-encoding and backslashes, because drivers decode these in different ways.
 */
final class JdbcUrlRules {

    /**
     * A property is refused if its name contains one of these parts. In all known drivers, such a property loads a
     * class, or is equally dangerous.
     */
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
            // PostgreSQL. The values of the last two properties are names of other files
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
            // DuckDB: files with SQL, files that it writes, and places of extensions. The source itself decides whether
            // the database is opened for reading only
            "sessioninitsqlfile",
            "sessioninitsqlfilesha256",
            "allowunsignedextensions",
            "customextensionrepository",
            "autoinstallextensionrepository",
            "extensiondirectory",
            "extensiondirectories",
            "secretdirectory",
            "logquerypath",
            "profilingoutput",
            "profileoutput",
            "accessmode",
            "duckdbreadonly",
            "jdbcpindb",
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

    /** Refused drivers: they pass the URL to another driver, or start programs. */
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

    /**
     * The reason why {@code url} is refused; empty if it is allowed. Contains names of properties, but never their
     * values.
     */
    static Optional<String> refusal(String url) {
        String plain = normalized(url);
        String[] parts = plain.split(":", 4);
        if (parts.length < 3 || !parts[0].equals("jdbc")) {
            return Optional.of("it does not begin with jdbc:name:");
        }
        if (REFUSED_SCHEMES.contains(parts[1])) {
            return Optional.of("jdbc:" + parts[1] + ": stands for another driver; use the URL of that driver");
        }
        if (parts[1].equals("sqlite") && parts[2].isEmpty() && parts.length == 4 && parts[3].startsWith("resource")) {
            return Optional.of("jdbc:sqlite::resource: does not name a file; name a file");
        }
        if (parts[1].equals("oracle") && plain.contains("@ldap")) {
            return Optional.of("the driver would look up its host in JNDI; name the host");
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

    /**
     * Whether {@code token}, the part of the URL before the first separator, ends with a property, as in {@code
     * jdbc:db2://host/name:a=b}.
     */
    private static boolean beginsProperties(String token, int equals) {
        return equals >= 0 && token.indexOf('/', token.lastIndexOf(':', equals)) < 0;
    }

    /** {@code url} in lower case, without percent-encoding and backslashes. */
    private static String normalized(String url) {
        String plain = url;
        for (int round = 0; round < 3 && plain.indexOf('%') >= 0; round++) {
            plain = decoded(plain);
        }
        // To upper case first, as H2 does: this converts letters such as the dotless i to ASCII.
        return plain.replace("\\", "").toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT);
    }

    /** {@code text} with percent-encoding decoded. Invalid sequences stay unchanged. */
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
