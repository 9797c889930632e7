// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.Setting;
import java.util.regex.Pattern;

/**
 * The options of a load that brings a table again: how the new data replaces the data of the last run of the same job.
 *
 * @param job name of the job: letters, digits and {@code . _ - :}, 1 to {@link #MAX_JOB_LENGTH} characters. The name
 *     identifies the job in Redis, so each table needs its own name, and only one run of a job is possible at a time
 * @param swap whether rows are written to shadow keys, which replace the keys only after the whole load has succeeded
 * @param prune whether a successful load removes the keys that the job wrote earlier and does not write any more
 */
public record Reload(String job, boolean swap, boolean prune) {

    /** Maximum length of the name of a job, in characters. */
    public static final int MAX_JOB_LENGTH = 100;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._:-]+");
    private static final Pattern OTHER = Pattern.compile("[^A-Za-z0-9._:-]");

    public Reload {
        Setting.checkArgument("jobLength", job.length(), 1, MAX_JOB_LENGTH);
        if (!NAME.matcher(job).matches()) {
            throw new IllegalArgumentException(
                    "job=" + job + "; it must consist of letters, digits and the characters . _ - :");
        }
        if (!swap && !prune) {
            throw new IllegalArgumentException("job=" + job + "; it needs swap or prune");
        }
    }

    /** A job named after {@code keyTemplate}, with other characters replaced by {@code -}. The keys are swapped. */
    public static Reload swap(String keyTemplate) {
        String name = OTHER.matcher(keyTemplate).replaceAll("-");
        return new Reload(name.substring(0, Math.min(name.length(), MAX_JOB_LENGTH)), true, false);
    }
}
