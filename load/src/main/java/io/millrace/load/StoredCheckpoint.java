// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.target.PlanException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A checkpoint as it is stored: names and values, in a file or in a hash. The names are:
 *
 * <pre>
 *   format       1
 *   rows         number of rows that are done, from the first row of the source
 *   digest       digest of these rows
 *   complete     1 if all rows of the source are done
 *   runId        run_id of the server
 *   keys         number of keys of the database without an expiry (file only)
 *   owner        random name of the load that wrote the checkpoint last (hash only)
 *   connection   id of the connection that wrote the checkpoint last (hash only)
 *   plan.…       the facts of {@link CheckpointBinding}
 * </pre>
 */
record StoredCheckpoint(Map<String, String> values) {

    static final String FORMAT = "format";
    static final String ROWS = "rows";
    static final String DIGEST = "digest";
    static final String COMPLETE = "complete";
    static final String RUN_ID = "runId";
    static final String KEYS = "keys";
    static final String OWNER = "owner";
    static final String CONNECTION = "connection";

    private static final String CURRENT_FORMAT = "1";

    StoredCheckpoint {
        values = Map.copyOf(values);
    }

    /** The values of a new checkpoint before the first row. */
    static Map<String, String> begin(CheckpointBinding binding, Optional<String> runId) {
        Map<String, String> values = new HashMap<>();
        values.put(FORMAT, CURRENT_FORMAT);
        values.put(ROWS, "0");
        values.put(DIGEST, "0");
        runId.ifPresent(id -> values.put(RUN_ID, id));
        binding.addTo(values);
        return values;
    }

    /**
     * Checks that this class can read the checkpoint.
     *
     * @param place name of the file or key, for the message
     * @throws PlanException if the format is unknown or a value is missing
     */
    void check(String place) {
        boolean readable = CURRENT_FORMAT.equals(values.get(FORMAT))
                && number(ROWS).isPresent()
                && number(DIGEST).isPresent();
        if (!readable) {
            throw new PlanException("the checkpoint cannot be read: " + place + ", format=" + values.get(FORMAT)
                    + ". It is damaged, or of another version of Millrace. Remove it, and load from the beginning.");
        }
    }

    CheckpointPosition position() {
        return new CheckpointPosition(number(ROWS).orElse(0), number(DIGEST).orElse(0));
    }

    boolean isComplete() {
        return values.containsKey(COMPLETE);
    }

    Optional<String> text(String name) {
        return Optional.ofNullable(values.get(name));
    }

    OptionalLong number(String name) {
        String value = values.get(name);
        try {
            return value == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(value));
        } catch (NumberFormatException damaged) {
            return OptionalLong.empty();
        }
    }

    /**
     * Checks that a load with {@code binding} may continue this checkpoint.
     *
     * @param place name of the file or key, for the message
     * @param remove how the user removes the checkpoint
     * @throws PlanException if the plan or the source differs; the message names the first difference
     */
    void checkSame(CheckpointBinding binding, String place, String remove) {
        CheckpointBinding.in(values).difference(binding).ifPresent(difference -> {
            throw new PlanException("the load cannot continue, because the source or the plan has changed: " + place
                    + ", rows=" + position().rows() + ", " + difference
                    + ". Restore what has changed, or load from the beginning: " + remove + ".");
        });
    }
}
