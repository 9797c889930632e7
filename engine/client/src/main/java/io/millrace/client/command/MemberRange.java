// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * A range of members in the order of their bytes, for sorted sets in which all members have the same score. Immutable.
 * {@code MemberRange.ALL.from("a", true).to("b", false)} contains the members that begin with {@code a}.
 */
public final class MemberRange {

    /** All members. */
    public static final MemberRange ALL = new MemberRange(new byte[] {'-'}, new byte[] {'+'});

    private final byte[] lowerEnd;
    private final byte[] upperEnd;

    private MemberRange(byte[] lowerEnd, byte[] upperEnd) {
        this.lowerEnd = lowerEnd;
        this.upperEnd = upperEnd;
    }

    /** Returns a copy that begins at {@code member}. */
    public MemberRange from(String member, boolean included) {
        return from(member.getBytes(StandardCharsets.UTF_8), included);
    }

    /** Returns a copy that begins at the binary {@code member}. */
    public MemberRange from(byte[] member, boolean included) {
        return new MemberRange(end(member, included), upperEnd);
    }

    /** Returns a copy that ends at {@code member}. */
    public MemberRange to(String member, boolean included) {
        return to(member.getBytes(StandardCharsets.UTF_8), included);
    }

    /** Returns a copy that ends at the binary {@code member}. */
    public MemberRange to(byte[] member, boolean included) {
        return new MemberRange(lowerEnd, end(member, included));
    }

    /** The lower bound in the server's notation. */
    byte[] lowerEnd() {
        return lowerEnd;
    }

    /** The upper bound in the server's notation. */
    byte[] upperEnd() {
        return upperEnd;
    }

    private static byte[] end(byte[] member, boolean included) {
        ByteArrayOutputStream end = new ByteArrayOutputStream(member.length + 1);
        end.write(included ? '[' : '(');
        end.writeBytes(member);
        return end.toByteArray();
    }
}
