// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmaps;

import io.millrace.bitmap.Encoding;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Figure;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.RedisServer;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.Workload;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Few ids of a wide range, a thousandth of what is asked for, are kept in each encoding that can: what that takes in
 * memory, and what a count takes. All of them are read back.
 *
 * @param glance whether only those are kept that are spread evenly
 */
public record SparseIds(boolean glance) implements Workload {

    private static final int FEWER = 1_000;

    /** As many are spread over what one bitmap can have. */
    private static final long MOST = 200_000;

    @Override
    public String name() {
        return "e6-sparse";
    }

    @Override
    public String experiment() {
        return "e6";
    }

    @Override
    public long operations(Size size) {
        return Math.clamp(size.operations() / FEWER, 1, MOST);
    }

    /** What is compared is memory. */
    @Override
    public boolean hasFactors() {
        return false;
    }

    @Override
    public Map<String, Figure> figures() {
        return Figure.allOwn(MonthLoad.ESTIMATED_BYTES, MonthLoad.BYTES, StoredBits.COUNT_MICROS);
    }

    @Override
    public List<Contender> contenders() {
        return Arrays.stream(Shape.values())
                .filter(shape -> !glance || shape == Shape.SPREAD)
                .flatMap(shape -> Arrays.stream(Encoding.values())
                        .filter(encoding -> shape == Shape.SPREAD || encoding != Encoding.BITMAP) // ids below 2^32 only
                        .<Contender>map(encoding -> new KeptIds(shape, encoding)))
                .toList();
    }

    @Override
    public Check check() {
        throw new IllegalStateException("each encoding is checked in its own way");
    }

    @Override
    public Check check(Contender contender) {
        if (!(contender instanceof KeptIds kept)) {
            throw new IllegalArgumentException("not of this workload: " + contender.label());
        }
        return new Check() {
            @Override
            public List<String> complaints(RedisServer server, long operations) {
                var found = ReadBack.ids(server.control(), kept.encoding(), KeptIds.KEY);
                return Arrays.equals(found, kept.shape().ids(operations))
                        ? List.of()
                        : List.of("ids on the server: expected=" + operations + ", found=" + found.length
                                + ", and not the same");
            }

            // Not asked for: an account is kept.
            @Override
            public Outcomes outcomes(RedisServer server, long operations) {
                return Outcomes.answered(operations, 0);
            }
        };
    }
}
