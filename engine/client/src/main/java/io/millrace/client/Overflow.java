// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/** What happens to a command that would exceed what may be in flight. */
public enum Overflow {
    /** It waits for a place until its deadline, and is refused then. */
    BLOCK,
    /** It is refused at once. */
    REFUSE
}
