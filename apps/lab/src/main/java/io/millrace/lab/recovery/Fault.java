// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.recovery;

/** A fault of the connection between the client and the server. */
enum Fault {
    /** All connections are reset. The server continues and accepts new connections at once. */
    CUT("cut", "All connections are reset", "the connections are reset; the server continues"),

    /** The server is killed and started again with its append-only file. */
    RESTART(
            "restart",
            "The server is killed and started again",
            "the server is killed, and started again at once with its append-only file; until then, connections are"
                    + " refused"),

    /** The primary is killed, the replica is promoted, and the address leads to the replica. */
    FAILOVER(
            "failover",
            "The primary is killed and the replica is promoted",
            "the primary is killed, REPLICAOF NO ONE promotes the replica, and the address leads to the replica; the"
                    + " replication of Redis is asynchronous, so some acknowledged commands may be lost with every"
                    + " client");

    final String scenario;
    final String title;
    final String note;

    Fault(String scenario, String title, String note) {
        this.scenario = scenario;
        this.title = title;
        this.note = note;
    }
}
