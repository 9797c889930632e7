// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Pipelines over a {@link RawSocket}. {@code set} and {@code get} encode their command at once. */
public record RawPipelines(int length) implements WarmContender {

    /** Bytes of a write. */
    private static final int WRITE_BYTES = 8 * 1024;

    @Override
    public String name() {
        return "raw-socket";
    }

    @Override
    public String note() {
        return "for comparison: a blocking socket, no library; all replies parsed every " + length + "; JVM warm";
    }

    @Override
    public Rounds open(Task task) throws IOException {
        return new PipelineRounds<>(length, task.operations(), new Commands(new RawSocket(task), length));
    }

    /** A result is the number of its command in the pipeline. */
    private static final class Commands implements PipelineRounds.Client<Integer, Integer> {

        private final RawSocket socket;
        private final RawSocket.Output output = new RawSocket.Output();
        private final String[] replies;
        private int added;

        private Commands(RawSocket socket, int length) {
            this.socket = socket;
            this.replies = new String[length];
        }

        @Override
        public void begin() {
            added = 0;
        }

        @Override
        public Integer set(String key, String value) {
            output.set(key, value);
            return written();
        }

        @Override
        public Integer get(String key) {
            output.get(key);
            return written();
        }

        private int written() {
            if (output.length() >= WRITE_BYTES) {
                socket.write(output);
            }
            return added++;
        }

        @Override
        public void run() {
            socket.write(output);
            try {
                for (int i = 0; i < added; ) {
                    var reply = socket.next();
                    if (reply == null) {
                        socket.read();
                    } else {
                        replies[i++] = reply;
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public String setReply(Integer result) {
            return replies[result];
        }

        @Override
        public String getReply(Integer result) {
            return replies[result];
        }

        @Override
        public void close() {
            socket.close();
        }
    }
}
