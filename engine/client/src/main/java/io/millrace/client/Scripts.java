// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.resp.Reply;

/** Commands that run scripts on the server. */
public final class Scripts {

    /** {@code EVAL body numkeys key … argument …}: whatever the script answers. */
    public static final CommandSpec<Reply> EVAL =
            CommandSpec.of("EVAL", Replies::raw).keyAt(2);

    private Scripts() {}
}
