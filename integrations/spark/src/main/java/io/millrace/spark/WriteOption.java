// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The options of a write. Their names are the long names of the command line in camel case. Spark ignores the case of the
 * names.
 */
enum WriteOption {
    KEY("key"),
    AS("as"),
    VALUE("value"),
    SCORE("score"),
    OFFSET("offset"),
    JSON_SET("jsonSet"),
    FIELD("field"),
    FIELDS("fields"),
    EXCLUDE("exclude"),
    TTL("ttl"),
    TTL_FIELD("ttlField"),
    TTL_JITTER("ttlJitter"),
    NULL("null"),
    REPLACE_ROW("replaceRow"),
    BUCKET("bucket"),
    PAIRS("pairs"),
    BUCKET_ABOVE_LIMIT("bucketAboveLimit"),

    URI("uri"),
    HOST("host"),
    PORT("port"),
    SOCKET("socket"),
    MAP("map"),
    DATABASE("database"),
    USER("user"),
    PASSWORD("password"),
    PASSWORD_FILE("passwordFile"),
    SENTINEL_USER("sentinelUser"),
    SENTINEL_PASSWORD_FILE("sentinelPasswordFile"),
    TLS("tls"),
    CACERT("cacert"),
    CERT("cert"),
    TLS_KEY("tlsKey"),
    SNI("sni"),
    INSECURE("insecure"),

    CONNECTIONS("connections"),
    MAX_CONNECTIONS("maxConnections"),
    IN_FLIGHT("inFlight"),
    IN_FLIGHT_BYTES("inFlightBytes"),
    TIMEOUT("timeout"),
    RATE("rate"),
    NO_FUSION("noFusion"),
    PATIENCE("patience"),
    ON_ERROR("onError"),
    MAX_ERRORS("maxErrors"),
    REJECTS("rejects"),
    VERIFY("verify"),
    REPORT("report"),

    DELIVERY("delivery"),
    DISTRIBUTE("distribute"),
    ORDER_BY("orderBy"),

    /** Spark adds these options to a streaming write. The connector does not use these options. */
    CHECKPOINT_LOCATION("checkpointLocation"),
    QUERY_NAME("queryName");

    private final String text;

    WriteOption(String text) {
        this.text = text;
    }

    /** The name of the option, such as {@code ttlField}. */
    String text() {
        return text;
    }

    static Optional<WriteOption> named(String name) {
        return Arrays.stream(values())
                .filter(option -> option.text.equalsIgnoreCase(name))
                .findFirst();
    }

    /** The names of the options of the connector. */
    static List<String> names() {
        return Arrays.stream(values())
                .filter(option -> option.compareTo(CHECKPOINT_LOCATION) < 0)
                .map(WriteOption::text)
                .toList();
    }
}
