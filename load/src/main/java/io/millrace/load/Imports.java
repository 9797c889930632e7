// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.target.RowMapping;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The commands that import the rows of a load.
 *
 * @param himport whether rows are imported with {@code HIMPORT}
 * @param restore the limits of the server for restored hashes; empty if rows are not imported with {@code RESTORE}
 */
record Imports(boolean himport, Optional<HashLimits> restore) {

    /** Rows are written only with the commands of their mapping. */
    static final Imports NONE = new Imports(false, Optional.empty());

    /** The commands that {@code mapping} supports and the server has. Blocks until the server has replied. */
    static Imports of(RowMapping mapping, ControlCalls calls, ServerFacts facts) {
        // A field set belongs to one connection, and a row of a cluster may be sent over another connection again.
        boolean himport = mapping.hashImport().isPresent()
                && !ClusterServers.isCluster(calls.client())
                && ServerFacts.hasCommand(calls, "HIMPORT");
        boolean restores = !himport && mapping.hashRestore().isPresent() && facts.readsDumpsOfRedis7();
        return new Imports(himport, restores ? Optional.of(HashLimits.of(calls)) : Optional.empty());
    }

    /** The importer of one connection; null if its rows are not imported. */
    @Nullable
    RowImporter importer(RowMapping mapping) {
        if (himport) {
            return mapping.hashImport().map(HashImporter::new).orElse(null);
        }
        return mapping.hashRestore()
                .flatMap(writer -> restore.map(limits -> new HashRestorer(writer, limits)))
                .orElse(null);
    }
}
