// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

/** Condition under which a command changes the expiry of a key or a field. */
public enum ExpireCondition {
    /** There is no expiry yet: {@code NX}. */
    IF_NO_EXPIRY("NX"),
    /** There is an expiry already: {@code XX}. */
    IF_EXPIRY("XX"),
    /** The new expiry is later than the old expiry: {@code GT}. No expiry counts as the latest. */
    IF_LATER("GT"),
    /** The new expiry is earlier than the old expiry: {@code LT}. No expiry counts as the latest. */
    IF_EARLIER("LT");

    private final String option;

    ExpireCondition(String option) {
        this.option = option;
    }

    /** The option in the server's notation. */
    String option() {
        return option;
    }
}
