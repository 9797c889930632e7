// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.Command;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Copies the keys of commands. */
public final class CommandKeys {

    private CommandKeys() {}

    /** Returns copies of the keys of {@code command}, because the caller may change its arrays. */
    public static List<ByteBuffer> of(Command<?> command) {
        List<ByteBuffer> keys = new ArrayList<>();
        List<Integer> indexes = command.keyIndexes();
        command.writeTo(new ArgumentSink() {
            private int argument;

            @Override
            public ArgumentSink arg(byte[] bytes, int offset, int length) {
                // The indexes are in ascending order.
                if (keys.size() < indexes.size() && indexes.get(keys.size()) == argument) {
                    keys.add(ByteBuffer.wrap(Arrays.copyOfRange(bytes, offset, offset + length)));
                }
                argument++;
                return this;
            }
        });
        return keys;
    }
}
