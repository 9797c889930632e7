// SPDX-License-Identifier: Apache-2.0
package io.millrace.resp;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Decodes bytes into replies. The caller may split the bytes at any position and pass the parts one after the other.
 *
 * <pre>{@code
 * reader.feed(bytes, 0, n);
 * while (reader.next()) {
 *     use(reader.reply());
 * }
 * }</pre>
 *
 * <p>DESIGN. The reader borrows the bytes passed to {@link #feed} until {@link #next} returns false. The reader keeps
 * only unfinished parts: a partial line in {@link #partialLine}, a partial bulk string in {@link #bulk}, open
 * aggregates on the {@link #open stack}. No byte is searched for a line end twice, even if the input is split into many
 * parts. The reader does not reserve memory for a declared length in advance: the buffers of bulk strings and
 * aggregates grow as the content arrives. Nested replies are decoded with a loop and a stack of limited height, not
 * with recursion.
 *
 * <pre>
 *   *2 CRLF  $5 CRLF he|llo CRLF  :7 CRLF          | = end of one feed
 *   ^open[0]: array, 2 to come
 *            ^bulk: 5 + 2 bytes to come, 2 there
 * </pre>
 *
 * <p>Streamed strings and aggregates ({@code $?}, {@code *?}) are part of the RESP3 specification, but no server sends
 * them. The reader rejects them as malformed replies. Attributes are parsed and discarded.
 *
 * <p>Not thread-safe. After a {@link MalformedReplyException} the reader must not be used.
 */
public final class RespReader {

    /** Initial size of the buffer for a bulk string that has not arrived completely. */
    private static final int INITIAL_BULK_BYTES = 16 * 1024;

    private static final int NO_BULK = -1;

    private static final byte[] NOTHING = new byte[0];

    private final RespLimits limits;

    private byte[] input = NOTHING;
    private int inputStart;
    private int position;
    private int limit;
    /** Total length of all earlier inputs. Error messages contain a position that is based on this number. */
    private long consumedBefore;

    private byte[] partialLine = new byte[128];
    private int partialLength;

    private byte[] line = NOTHING;
    private int lineFrom;
    private int lineTo;

    private int bulkLength = NO_BULK;
    private byte bulkType;
    private byte[] bulk = NOTHING;
    private int bulkRead;

    private final OpenAggregate[] open;
    private int depth;

    /** Whether the reply that is being read is a push. */
    private boolean inPush;

    private Reply reply = Reply.OK;

    /** Creates a reader with the {@linkplain RespLimits#DEFAULT default limits}. */
    public RespReader() {
        this(RespLimits.DEFAULT);
    }

    public RespReader(RespLimits limits) {
        this.limits = limits;
        this.open = new OpenAggregate[limits.depth()];
    }

    /**
     * Passes input to the reader. The bytes must not change until {@link #next} returns false.
     *
     * @throws IllegalStateException if the previous input has not been read completely
     */
    public void feed(byte[] bytes, int from, int to) {
        if (position < limit) {
            throw new IllegalStateException(
                    "feed was called before the previous input was read: unread bytes=" + (limit - position));
        }
        consumedBefore += limit - inputStart;
        input = bytes;
        inputStart = from;
        position = from;
        limit = to;
    }

    /** Returns true if no reply is incomplete: every byte so far belongs to a reply that {@link #next} has found. */
    public boolean atBoundary() {
        return position == limit && depth == 0 && partialLength == 0 && bulkLength == NO_BULK;
    }

    /**
     * Whether the bytes since the end of the last reply are the beginning of a push. After an exception of {@link
     * #next}, the method returns whether a push caused the exception.
     */
    public boolean isInPush() {
        return inPush;
    }

    /**
     * Number of complete elements of the reply that is being read; -1 if this reply is not known to be an aggregate.
     * After an exception of {@link #next}, this is the index of the element that caused the exception.
     */
    public int completeElements() {
        return depth == 0 || open[0].type == '|' ? -1 : open[0].items.size();
    }

    /** The reply found by the last call of {@link #next}. */
    public Reply reply() {
        return reply;
    }

    /**
     * Reads up to the end of the next reply.
     *
     * @return true if a complete reply was found; false if all input is consumed, so that the caller must feed more
     *     bytes
     * @throws MalformedReplyException if the input is not RESP or exceeds the limits
     */
    public boolean next() {
        if (startsWithOk()) {
            position += 5;
            reply = Reply.OK;
            return true;
        }
        while (true) {
            Reply value;
            if (bulkLength != NO_BULK) {
                if (!fillBulk()) {
                    return false;
                }
                value = finishedBulk();
            } else {
                value = wholeBulk();
                if (value == null) {
                    if (!readLine()) {
                        return false;
                    }
                    value = valueOfLine();
                }
            }
            if (value != null && completes(value)) {
                return true;
            }
        }
    }

    /**
     * Returns whether the next bytes of the input are the complete reply {@code +OK}. This method is a fast path: most
     * write commands return {@code +OK}.
     */
    private boolean startsWithOk() {
        int at = position;
        byte[] bytes = input;
        return limit - at >= 5
                && bytes[at] == '+'
                && bytes[at + 1] == 'O'
                && bytes[at + 2] == 'K'
                && bytes[at + 3] == '\r'
                && bytes[at + 4] == '\n'
                && depth == 0
                && partialLength == 0
                && bulkLength == NO_BULK;
    }

    /**
     * Fast path for a bulk string of at most 9,999 bytes. Returns null, and reads nothing, if the next value is anything
     * else, is not completely in the input, or is malformed.
     */
    private @Nullable Reply wholeBulk() {
        byte[] bytes = input;
        int at = position;
        if (partialLength != 0 || limit - at < 6 || bytes[at] != '$') {
            return null;
        }
        int length = 0;
        int lastDigit = Math.min(at + 4, limit - 1);
        for (at++; at <= lastDigit && bytes[at] >= '0' && bytes[at] <= '9'; at++) {
            length = 10 * length + bytes[at] - '0';
        }
        int start = at + 2;
        if (at == position + 1 || limit - start < length + 2 || length > limits.bulkBytes()) {
            return null;
        }
        int after = start + length;
        if (bytes[at] != '\r' || bytes[at + 1] != '\n' || bytes[after] != '\r' || bytes[after + 1] != '\n') {
            return null;
        }
        position = after + 2;
        return new Reply.BulkString(Arrays.copyOfRange(bytes, start, after));
    }

    /**
     * Adds a complete value to the innermost open aggregate, if there is an open aggregate. Returns true if the
     * top-level reply is then complete.
     */
    private boolean completes(Reply value) {
        Reply finished = value;
        while (depth > 0) {
            OpenAggregate parent = open[depth - 1];
            parent.items.add(finished);
            if (--parent.remaining > 0) {
                return false;
            }
            depth--;
            if (parent.type == '|') {
                return false;
            }
            finished = parent.close();
        }
        reply = finished;
        inPush = false;
        return true;
    }

    /**
     * Finds the end of the next line. Returns false if the end of the line has not arrived. If the input contains the
     * whole line, the line stays in the input. Otherwise the parts of the line are collected in {@link #partialLine}.
     */
    private boolean readLine() {
        for (int i = position; i < limit; i++) {
            if (input[i] == '\n') {
                if (partialLength == 0) {
                    line = input;
                    lineFrom = position;
                    lineTo = i - 1;
                } else {
                    keepPartial(i);
                    line = partialLine;
                    lineFrom = 0;
                    lineTo = partialLength - 1;
                    partialLength = 0;
                }
                position = i + 1;
                if (lineTo <= lineFrom || line[lineTo] != '\r') {
                    throw malformed("a line is empty or does not end in CR LF");
                }
                return true;
            }
        }
        keepPartial(limit);
        position = limit;
        return false;
    }

    private void keepPartial(int to) {
        int count = to - position;
        // One byte more than the limit is allowed, because the last byte may be the CR, which is not part of the line's
        // content.
        if (count > limits.lineBytes() + 1 - partialLength) {
            throw tooLarge("lineBytes", limits.lineBytes(), "a line is longer");
        }
        if (partialLine.length - partialLength < count) {
            partialLine = Arrays.copyOf(partialLine, Math.max(partialLine.length * 2, partialLength + count));
        }
        System.arraycopy(input, position, partialLine, partialLength, count);
        partialLength += count;
    }

    /**
     * Decodes a line. Returns null if the line does not contain a whole value, but only the header of a value, such as
     * the length of a bulk string.
     */
    private @Nullable Reply valueOfLine() {
        if (lineTo - lineFrom > limits.lineBytes()) {
            throw tooLarge("lineBytes", limits.lineBytes(), "a line is longer");
        }
        try {
            return valueOfLine(line[lineFrom++]);
        } catch (IllegalArgumentException e) {
            throw malformed(String.valueOf(e.getMessage()));
        }
    }

    private @Nullable Reply valueOfLine(byte type) {
        return switch (type) {
            case '+' -> new Reply.SimpleString(Scalars.text(line, lineFrom, lineTo));
            case '-' -> new Reply.ErrorReply(Scalars.text(line, lineFrom, lineTo));
            case ':' -> SmallIntegers.of(Numbers.integer(line, lineFrom, lineTo));
            case '$', '!', '=' -> beginBulk(type);
            case '*', '~', '%', '>', '|' -> beginAggregate(type);
            case '_' -> Scalars.nullReply(lineFrom, lineTo);
            case '#' -> Scalars.booleanReply(line, lineFrom, lineTo);
            case ',' -> new Reply.DoubleReply(Numbers.floating(Scalars.text(line, lineFrom, lineTo)));
            case '(' -> new Reply.BigNumber(Numbers.big(line, lineFrom, lineTo));
            default -> throw malformed("a reply has the unknown type " + Scalars.printable(type));
        };
    }

    private @Nullable Reply beginBulk(byte type) {
        long declared = Numbers.length(line, lineFrom, lineTo, type == '$');
        if (declared < 0) {
            return Reply.Null.NULL;
        }
        if (declared > limits.bulkBytes()) {
            throw tooLarge("bulkBytes", limits.bulkBytes(), "a bulk string has " + declared + " bytes");
        }
        int length = (int) declared;
        bulkType = type;
        bulkLength = length;
        bulkRead = 0;
        bulk = limit - position >= length ? new byte[length] : new byte[Math.min(length, INITIAL_BULK_BYTES)];
        return null;
    }

    /**
     * Copies the available bytes of a bulk string and checks the trailing CR LF. Returns true when the whole bulk
     * string and the CR LF have arrived.
     */
    private boolean fillBulk() {
        int payload = Math.min(bulkLength - bulkRead, limit - position);
        if (payload > 0) {
            if (bulk.length - bulkRead < payload) {
                long doubled = Math.max(bulk.length * 2L, bulkRead + (long) payload);
                bulk = Arrays.copyOf(bulk, (int) Math.min(doubled, bulkLength));
            }
            System.arraycopy(input, position, bulk, bulkRead, payload);
            bulkRead += payload;
            position += payload;
        }
        while (bulkRead >= bulkLength && bulkRead < bulkLength + 2 && position < limit) {
            byte expected = (byte) (bulkRead == bulkLength ? '\r' : '\n');
            if (input[position] != expected) {
                throw malformed("a bulk string of " + bulkLength + " bytes does not end in CR LF");
            }
            position++;
            bulkRead++;
        }
        return bulkRead == bulkLength + 2;
    }

    private Reply finishedBulk() {
        byte[] bytes = bulk;
        bulk = NOTHING;
        bulkLength = NO_BULK;
        if (bulkType == '$') {
            return new Reply.BulkString(bytes);
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (bulkType == '!') {
            return new Reply.ErrorReply(text);
        }
        if (text.length() < 4 || text.charAt(3) != ':') {
            throw malformed("a verbatim string has no format");
        }
        return new Reply.VerbatimString(text.substring(0, 3), text.substring(4));
    }

    private @Nullable Reply beginAggregate(byte type) {
        boolean paired = type == '%' || type == '|';
        if (depth == 0) {
            inPush = type == '>';
        } else if (type == '>') {
            throw malformed("a push is inside another reply");
        }
        long declared = Numbers.length(line, lineFrom, lineTo, type == '*');
        if (declared < 0) {
            return Reply.Null.NULL;
        }
        long count = paired ? declared * 2 : declared;
        if (count > limits.elements()) {
            throw tooLarge("elements", limits.elements(), "an aggregate has " + count + " elements");
        }
        if (count == 0) {
            return type == '|' ? null : OpenAggregate.empty(type);
        }
        if (depth == open.length) {
            throw tooLarge("depth", open.length, "aggregates are nested more deeply");
        }
        open[depth++] = new OpenAggregate(type, (int) count);
        return null;
    }

    private MalformedReplyException malformed(String violation) {
        return rejected("not RESP: " + violation);
    }

    private MalformedReplyException tooLarge(String limit, int value, String violation) {
        return rejected("a reply exceeds the limit " + limit + "=" + value + ": " + violation);
    }

    private MalformedReplyException rejected(String reason) {
        long offset = consumedBefore + position - inputStart;
        return new MalformedReplyException(reason + " (before byte " + offset + " of the connection)");
    }
}
