// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.util.List;

/** The images of servers that a service connection recognizes, and their port. */
final class ServerImages {

    static final List<String> NAMES = List.of("redis", "valkey/valkey", "redis/redis-stack-server");

    /** The port of the server in its container. */
    static final int PORT = 6379;

    private ServerImages() {}
}
