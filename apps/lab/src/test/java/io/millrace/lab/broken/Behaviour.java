// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.broken;

/** How a contender goes about its task. */
public enum Behaviour {
    GOOD("good", "warm"),
    /** Good too, and tells of seconds. */
    GOOD_AND_TALKATIVE("good", "talkative"),
    /** Good too, in a new JVM for each round. */
    FRESH("fresh", "warm"),
    /** Good too, and sends as much as the server's sockets hold before it reads a reply. */
    TORRENTIAL("torrential", "warm"),
    LOSES_EVERY_TENTH_SET("forgetful", "warm"),
    MISSES_READS("blind", "warm"),
    READS_IN_WRONG_ORDER("dizzy", "warm"),
    THROWS("angry", "warm"),
    DOES_NOT_OPEN("closed", "warm"),
    /** Its JVM ends in the middle of a round. */
    DIES("mortal", "warm"),
    /** Does its task while it is opened, in a new JVM for each round, and nothing in the round. */
    RESTS_ON_ITS_WARM_UP("lazy", "warm"),
    /** Leaves a list where a string is looked for: looking at it is an error. */
    LEAVES_WRONG_TYPE("twisted", "warm");

    final String contender;
    final String variant;

    Behaviour(String contender, String variant) {
        this.contender = contender;
        this.variant = variant;
    }

    /** The label of the contender that behaves so. */
    public String label() {
        return contender + "/" + variant;
    }
}
