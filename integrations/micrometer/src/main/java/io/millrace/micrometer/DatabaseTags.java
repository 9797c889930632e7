// SPDX-License-Identifier: Apache-2.0
package io.millrace.micrometer;

import io.millrace.client.RedisUri;
import java.util.OptionalInt;

/**
 * The attributes of a server by the stable conventions of OpenTelemetry for databases: {@code db.system.name}, {@code
 * db.namespace}, {@code server.address} and {@code server.port}.
 *
 * @param namespace number of the database
 * @param address host name, the path of a Unix socket, the name of the primary if Sentinels know its address, or the host
 *     name of the first node in the URI of a cluster
 * @param port empty for a Unix socket and for Sentinels
 */
record DatabaseTags(String namespace, String address, OptionalInt port) {

    static final String SYSTEM = "db.system.name";
    static final String REDIS = "redis";
    static final String NAMESPACE = "db.namespace";
    static final String ADDRESS = "server.address";
    static final String PORT = "server.port";
    static final String OPERATION = "db.operation.name";
    static final String STATUS_CODE = "db.response.status_code";
    static final String ERROR_TYPE = "error.type";

    static DatabaseTags of(RedisUri uri) {
        String namespace = Integer.toString(uri.database());
        return switch (uri.endpoint()) {
            case RedisUri.Tcp tcp -> new DatabaseTags(namespace, tcp.host(), OptionalInt.of(tcp.port()));
            case RedisUri.Unix unix -> new DatabaseTags(namespace, unix.path().toString(), OptionalInt.empty());
            case RedisUri.Sentinels sentinels -> new DatabaseTags(namespace, sentinels.primary(), OptionalInt.empty());
            case RedisUri.Cluster cluster -> {
                RedisUri.Tcp first = cluster.nodes().getFirst();
                yield new DatabaseTags(namespace, first.host(), OptionalInt.of(first.port()));
            }
        };
    }
}
