// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.library.Idiom;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Inputs;
import io.millrace.lab.run.RedisServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Something that every library can do, in each of its ways. */
interface Activity {

    /** In one word, such as {@code strings}. */
    String name();

    /** How many commands it can be of, if {@code asked} are asked for: the nearest number that comes out even. */
    default long operations(long asked) {
        return asked;
    }

    /** Who does it beside the libraries. */
    default List<Contender> others() {
        return List.of();
    }

    /** Makes what those are fed, in {@code folder}. */
    default Inputs prepare(Path folder, long operations) {
        return Inputs.of(Map.of());
    }

    /** Puts on the empty server what it needs there. */
    default void fill(RedisServer server, long operations) {}

    /** Makes ready what {@code operations} commands need, for the side of the contender. */
    Work work(long operations);

    /** How what it leaves on the server is checked. */
    Check check();

    /** The commands of the activity, each of which is the same part of all commands. */
    List<Counted> commands();

    /**
     * A command, in lower case.
     *
     * @param fused the command that the server receives in place of several fused commands; may be the same
     */
    record Counted(String command, String fused) {}

    /** What a contender does again and again. */
    interface Work {

        /** Does it once, {@code batch} commands together where the way has batches. */
        void run(Idiom idiom, int batch) throws Exception;

        /** What was wrong with what it read; empty if nothing was, or nothing is read. */
        default List<String> complaints() {
            return List.of();
        }
    }
}
