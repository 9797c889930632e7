// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.fusion;

import io.millrace.client.command.Fusion;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The batches of one connection: one of each kind, made when a command needs it. Not thread-safe. */
final class FusedBatches {

    private final FusibleKinds kinds;
    private final Map<Fusion, FusedBatch> batches = new EnumMap<>(Fusion.class);

    FusedBatches(FusibleKinds kinds) {
        this.kinds = kinds;
    }

    /**
     * Returns the kind of batch that a command can be in; null if there is none. {@code SET} has two kinds: with and without a
     * time to live.
     *
     * @param asked the kind of the spec of the command
     */
    @Nullable
    Fusion kindFor(Fusion asked, BufferedArguments arguments) {
        if (accepts(asked, arguments)) {
            return asked;
        }
        return asked == Fusion.SET && accepts(Fusion.SET_EXPIRING, arguments) ? Fusion.SET_EXPIRING : null;
    }

    private boolean accepts(Fusion kind, BufferedArguments arguments) {
        return kinds.include(kind) && of(kind).accepts(arguments);
    }

    FusedBatch of(Fusion kind) {
        FusedBatch existing = batches.get(kind);
        if (existing == null) {
            existing = FusionRule.of(kind).newBatch().get();
            batches.put(kind, existing);
        }
        return existing;
    }
}
