// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.Setting;
import io.millrace.client.command.SetOptions;
import java.time.Duration;

/** Parses an expiry: a duration of {@link SetOptions#MIN_TTL} to {@link SetOptions#MAX_TTL}. */
final class TtlText {

    private TtlText() {}

    /**
     * Parses {@code text}.
     *
     * @throws IllegalArgumentException if the text is not valid; the message shows the valid forms
     */
    static Duration parse(String text) {
        return Setting.checkArgument("ttl", DurationText.parse(text), SetOptions.MIN_TTL, SetOptions.MAX_TTL);
    }
}
