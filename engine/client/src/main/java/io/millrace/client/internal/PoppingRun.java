// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.resp.RequestEncoder;

/** {@code LPOP} or {@code RPOP} of one list: the same with a count. */
final class PoppingRun extends Run {

    private final byte[] name;
    private int commands;

    PoppingRun(String name) {
        this.name = name(name);
    }

    @Override
    boolean takes(HeldArguments arguments) {
        return arguments.count() == 1;
    }

    @Override
    boolean joins(HeldArguments first, HeldArguments next) {
        return next.sameAt(0, first);
    }

    @Override
    void begin(RequestEncoder encoder, HeldArguments first) {
        commands = 1;
    }

    @Override
    void add(RequestEncoder encoder, HeldArguments next) {
        commands++;
    }

    @Override
    Split finish(RequestEncoder encoder, HeldArguments first) {
        encoder.begin(name, 1);
        first.writeTo(encoder, 0);
        encoder.arg(commands);
        return new Split.Popped();
    }
}
