// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

/** How each command of the client is measured. */
enum ObservationMode {
    /** Commands are not measured. The counts of the client are still available. */
    OFF,
    /** A timer for each command name. */
    TIMERS,
    /** A timer for each command name, and a client span for each command. */
    SPANS
}
