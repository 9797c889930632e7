// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import static io.millrace.embedded.ClusterConnection.command;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A live move of one slot from one primary to another. */
record SlotMove(int slot, ClusterNode source, ClusterNode target) {

    private static final int KEYS_PER_BATCH = 100;

    /** Maximum time in which the target stores a key. */
    private static final int MIGRATE_TIMEOUT_MILLIS = 10_000;

    /** Marks the slot at both primaries. From now on, the source answers ASK for a key that it does not have. */
    void begin() {
        target.call("CLUSTER", "SETSLOT", Integer.toString(slot), "IMPORTING", source.id());
        source.call("CLUSTER", "SETSLOT", Integer.toString(slot), "MIGRATING", target.id());
    }

    /** Moves keys until {@code limit} keys are moved, or the source has no more keys. Returns their number. */
    int moveKeys(int limit) {
        EmbeddedRedis server = source.server();
        try (ClusterConnection connection = ClusterConnection.open(server, ClusterNode.COMMAND_TIMEOUT)) {
            int moved = 0;
            List<byte[]> keys = keys(connection, limit);
            while (!keys.isEmpty()) {
                connection.call(migrate(keys));
                moved += keys.size();
                keys = keys(connection, limit - moved);
            }
            return moved;
        } catch (IOException e) {
            throw ClusterNode.unanswered(server, e);
        }
    }

    private List<byte[]> keys(ClusterConnection connection, int limit) throws IOException {
        int count = Math.min(KEYS_PER_BATCH, limit);
        return connection.call(command("CLUSTER", "GETKEYSINSLOT", Integer.toString(slot), Integer.toString(count)));
    }

    private List<byte[]> migrate(List<byte[]> keys) {
        EmbeddedRedis to = target.server();
        List<byte[]> migrate = new ArrayList<>(command(
                "MIGRATE", to.host(), Integer.toString(to.port()), "", "0", Integer.toString(MIGRATE_TIMEOUT_MILLIS)));
        to.password().ifPresent(password -> migrate.addAll(command("AUTH", password)));
        migrate.addAll(command("KEYS"));
        migrate.addAll(keys);
        return migrate;
    }

    /**
     * Gives the slot to the target. The target must be first: if the source were first, both would answer with a
     * redirect to the other for a moment.
     *
     * @param all all servers of the cluster; the other primaries learn the new owner at once, the replicas by gossip
     */
    void end(List<ClusterNode> all) {
        String[] assign = {"CLUSTER", "SETSLOT", Integer.toString(slot), "NODE", target.id()};
        target.call(assign);
        source.call(assign);
        all.stream()
                .filter(node -> !node.equals(source) && !node.equals(target))
                .forEach(node -> node.ask(assign));
    }
}
