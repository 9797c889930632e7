// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.load.source.Column;
import java.util.List;
import java.util.Optional;

/**
 * The Redis data that rows become: their keys, values and expiry, before the columns of the source are known.
 *
 * <p>Each kind of target is one record, such as {@link HashTarget}. The command line knows the targets by name: {@code
 * TargetArguments.TYPES} in {@code apps/cli}. The loader uses only this interface and the {@link RowMapping} of
 * {@link #bind}, so an application can implement targets of its own.
 *
 * <p>A template is text with column names in braces; a doubled brace is a literal brace. A row whose key or field name
 * would contain a NULL or empty column is rejected. A NULL in a value makes the whole value NULL. A row whose values
 * are all NULL is rejected.
 */
public interface Target {

    /** The Redis type of a target's keys as the command line and messages call it, such as {@code hash}. */
    String type();

    /** The type of a target's keys as {@code TYPE} of Redis calls it. */
    default String redisType() {
        return type();
    }

    /** The options that all targets share. */
    TargetOptions options();

    /**
     * The buckets that this target packs strings into; empty for a target that uses no buckets. The loader compares
     * their size with the limit of the server before it writes.
     */
    default Optional<BucketOptions> bucket() {
        return Optional.empty();
    }

    /** Why the rows of this target cannot be verified, as a sentence; empty if they can be verified. */
    default Optional<String> whyNotVerifiable() {
        return options().onlyMissing()
                ? Optional.of(
                        "a row whose key existed before the load was left out, and cannot be told from a wrong value")
                : Optional.empty();
    }

    /**
     * The data in Redis that no row of the source has, and that a verification does not find: {@code keys}, or {@code keys
     * and fields}.
     */
    default String whatVerificationLeavesOut() {
        return "keys";
    }

    /** A command of a server module that this target needs, such as {@code JSON.SET}; empty if it needs none. */
    default Optional<String> moduleCommand() {
        return Optional.empty();
    }

    /**
     * Checks the options of this target, as far as this is possible without columns. {@link #bind} runs this check too.
     *
     * @throws PlanException if an option is out of range, or if two options contradict each other
     */
    default void check() {
        options().check();
    }

    /**
     * Creates the mapping for rows with {@code columns}. Each thread needs a separate mapping.
     *
     * @throws PlanException if {@link #check} fails, or if this target names a column that is missing or exists twice
     */
    RowMapping bind(List<Column> columns);
}
