// SPDX-License-Identifier: Apache-2.0
package io.millrace.resp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RequestEncoderTest {

    private static final byte[] SET = RequestEncoder.encodeName("SET");

    @Test
    void commandIsEncodedAsAnArrayOfBulkStrings() {
        Collected wire = new Collected(64);

        wire.encoder.begin(SET, 1);
        wire.encoder.arg("k");
        wire.encoder.arg(-120);
        wire.end();

        assertThat(wire.text()).isEqualTo("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$4\r\n-120\r\n");
    }

    @Test
    void commandNameOfSeveralWordsIsEncodedAsSeveralArguments() {
        Collected wire = new Collected(64);

        wire.encoder.begin(RequestEncoder.encodeName("SCRIPT LOAD"), 2);
        wire.encoder.arg("return 1");
        wire.end();

        assertThat(wire.text()).isEqualTo("*3\r\n$6\r\nSCRIPT\r\n$4\r\nLOAD\r\n$8\r\nreturn 1\r\n");
    }

    @Test
    void lengthOfATextArgumentIsCountedInUtf8Bytes() {
        Collected wire = new Collected(64);

        wire.encoder.begin(SET, 1);
        wire.encoder.arg("zürich €");
        wire.end();

        assertThat(wire.bytes.toString(UTF_8)).isEqualTo("*2\r\n$3\r\nSET\r\n$11\r\nzürich €\r\n");
    }

    @Test
    void bytesOfAnAbandonedCommandAreDiscarded() {
        Collected wire = new Collected(64);

        wire.encoder.begin(SET, 1);
        wire.encoder.arg("forgotten");
        wire.encoder.abandon();
        wire.encoder.begin(SET, 1);
        wire.end();

        assertThat(wire.text()).isEqualTo("*1\r\n$3\r\nSET\r\n");
    }

    @Test
    void randomCommandsAreTheSameAfterEncodingAndDecodingWithAnyBufferSize() {
        long seed = Long.getLong("millrace.seed", System.nanoTime());
        System.out.println("anyCommands seed: " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            Collected wire = new Collected(1 + random.nextInt(200));
            List<Reply> expected = new ArrayList<>();
            for (int command = 0; command < 12; command++) {
                expected.add(randomCommand(wire, random));
            }

            byte[] all = wire.bytes.toByteArray();
            RespReader reader = new RespReader();
            reader.feed(all, 0, all.length);
            List<Reply> read = new ArrayList<>();
            while (reader.next()) {
                read.add(reader.reply());
            }

            assertThat(read).isEqualTo(expected);
            assertThat(reader.atBoundary()).isTrue();
        }
    }

    private static Reply randomCommand(Collected wire, Random random) {
        List<Reply> words = new ArrayList<>();
        words.add(new Reply.BulkString("SET".getBytes(ISO_8859_1)));
        wire.encoder.begin(SET, 1);
        int arguments = random.nextInt(4) == 0 ? random.nextInt(120) : random.nextInt(12);
        for (int i = 0; i < arguments; i++) {
            switch (random.nextInt(3)) {
                case 0 -> {
                    byte[] bytes = new byte[random.nextInt(40)];
                    random.nextBytes(bytes);
                    wire.encoder.arg(bytes, 0, bytes.length);
                    words.add(new Reply.BulkString(bytes));
                }
                case 1 -> {
                    String text = "aé€😀\0\r\n".repeat(random.nextInt(3));
                    wire.encoder.arg(text);
                    words.add(new Reply.BulkString(text.getBytes(UTF_8)));
                }
                default -> {
                    long number = random.nextInt(20) == 0 ? Long.MIN_VALUE : random.nextLong() >> random.nextInt(64);
                    wire.encoder.arg(number);
                    words.add(new Reply.BulkString(Long.toString(number).getBytes(ISO_8859_1)));
                }
            }
        }
        wire.end();
        return new Reply.ArrayReply(words);
    }

    /** Collects finished commands from buffers of a given size. */
    private static final class Collected implements RequestEncoder.BufferSupplier {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final int size;
        final RequestEncoder encoder;
        byte[] current = new byte[0];

        Collected(int size) {
            this.size = size;
            this.encoder = new RequestEncoder(this);
        }

        @Override
        public byte[] nextBuffer(int atLeast) {
            current = new byte[Math.max(size, atLeast)];
            return current;
        }

        void end() {
            int length = encoder.end();
            bytes.write(current, encoder.finishedOffset() - length, length);
        }

        String text() {
            return bytes.toString(ISO_8859_1);
        }
    }
}
