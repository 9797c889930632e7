// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

/** The kinds of {@link KeyPositions}. */
final class KeyRules {

    static final int NO_KEY = -1;
    static final KeyPositions NONE = new WithoutKeys();

    /** Options with one value, of all commands whose options this class reads. Such a value may look like an option. */
    private static final String[] WITH_VALUE = {"AUTH", "BLOCK", "BY", "CLAIM", "COUNT", "GET"};

    /** Options with two values. */
    private static final String[] WITH_TWO_VALUES = {"AUTH2", "GROUP", "LIMIT"};

    private KeyRules() {}

    /** No argument is a key. */
    record WithoutKeys() implements KeyPositions {

        @Override
        public int first() {
            return NO_KEY;
        }

        @Override
        public int next(byte[][] arguments, int after) {
            return NO_KEY;
        }
    }

    /**
     * Keys with a fixed distance.
     *
     * @param step distance of two keys
     * @param end the keys are before this position
     * @param rest number of arguments after the last key
     */
    record Range(int first, int step, int end, int rest) implements KeyPositions {

        static final int NO_END = Integer.MAX_VALUE;

        @Override
        public int next(byte[][] arguments, int after) {
            int position = after < first ? first : after + step;
            return position < Math.min(end, arguments.length - rest) ? position : NO_KEY;
        }
    }

    /**
     * A number of keys, followed by the keys.
     *
     * @param destination whether the first argument is a key too, as in {@code ZUNIONSTORE destination numkeys key …}
     * @param step distance of two keys
     */
    record Counted(boolean destination, int countPosition, int step) implements KeyPositions {

        @Override
        public int first() {
            return destination ? 0 : countPosition + 1;
        }

        @Override
        public int next(byte[][] arguments, int after) {
            int firstCounted = countPosition + 1;
            int end = firstCounted + step * count(arguments);
            if (end == firstCounted) {
                return NO_KEY;
            }
            if (destination && after < 0) {
                return 0;
            }
            int position = after < firstCounted ? firstCounted : after + step;
            return position < end ? position : NO_KEY;
        }

        /** Returns the number of keys; 0 if the server will refuse the command because of this number. */
        private int count(byte[][] arguments) {
            int following = arguments.length - countPosition - 1;
            if (following <= 0) {
                return 0;
            }
            int count = number(arguments[countPosition]);
            return count > following / step ? 0 : count;
        }
    }

    /**
     * Streams and their IDs: {@code [options] STREAMS key … id …}.
     *
     * @param first position of the first key if there are no options
     */
    record AfterStreams(int first) implements KeyPositions {

        @Override
        public int next(byte[][] arguments, int after) {
            int firstKey = option("STREAMS", arguments, 0) + 1;
            if (firstKey > arguments.length) {
                return NO_KEY;
            }
            int end = firstKey + (arguments.length - firstKey) / 2;
            int position = Math.max(firstKey, after + 1);
            return position < end ? position : NO_KEY;
        }
    }

    /**
     * The first argument, and the key after the option {@code STORE} or {@code STOREDIST}. If there are several such
     * options, the server uses the last one.
     *
     * @param options position of the first option
     */
    record Stored(int options) implements KeyPositions {

        @Override
        public int first() {
            return 0;
        }

        @Override
        public int next(byte[][] arguments, int after) {
            if (after < 0) {
                return arguments.length == 0 ? NO_KEY : 0;
            }
            int destination = destination(arguments);
            return destination > after ? destination : NO_KEY;
        }

        private int destination(byte[][] arguments) {
            int destination = NO_KEY;
            int i = options;
            while (i < arguments.length - 1) {
                if (isWord(arguments[i], "STORE") || isWord(arguments[i], "STOREDIST")) {
                    destination = i + 1;
                    i += 2;
                } else {
                    i += 1 + values(arguments[i]);
                }
            }
            return destination;
        }
    }

    /** {@code MIGRATE host port key database milliseconds [options]}, or an empty key and {@code KEYS key …} at the end. */
    record Migrated() implements KeyPositions {

        private static final int KEY = 2;
        private static final int OPTIONS = 5;

        @Override
        public int first() {
            return KEY;
        }

        @Override
        public int next(byte[][] arguments, int after) {
            int keys = option("KEYS", arguments, OPTIONS);
            if (keys == arguments.length) {
                return after < KEY && KEY < arguments.length ? KEY : NO_KEY;
            }
            // The server refuses the command if there is a key in both places.
            int position = arguments[KEY].length == 0 ? Math.max(keys, after) + 1 : arguments.length;
            return position < arguments.length ? position : NO_KEY;
        }
    }

    /** An argument that is not a key, but selects the hash slot: a shard channel, or the cursor of a cluster. */
    record Routed(int position) implements KeyPositions {

        @Override
        public int first() {
            return NO_KEY;
        }

        @Override
        public int next(byte[][] arguments, int after) {
            return after < position && position < arguments.length ? position : NO_KEY;
        }
    }

    /** Returns the position of the option {@code word}; the number of arguments if there is no such option. */
    private static int option(String word, byte[][] arguments, int from) {
        int i = from;
        while (i < arguments.length && !isWord(arguments[i], word)) {
            i += 1 + values(arguments[i]);
        }
        return Math.min(i, arguments.length);
    }

    /** Returns the number of values after an option. */
    private static int values(byte[] option) {
        for (String word : WITH_VALUE) {
            if (isWord(option, word)) {
                return 1;
            }
        }
        for (String word : WITH_TWO_VALUES) {
            if (isWord(option, word)) {
                return 2;
            }
        }
        return 0;
    }

    /** Returns whether {@code argument} equals {@code word}, ignoring case. {@code word} must be in upper case. */
    private static boolean isWord(byte[] argument, String word) {
        boolean same = argument.length == word.length();
        for (int i = 0; same && i < argument.length; i++) {
            byte letter = argument[i];
            same = (letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A' : letter) == word.charAt(i);
        }
        return same;
    }

    /** Returns the number in {@code digits}; 0 if the argument is not a number, or has more than 7 digits. */
    private static int number(byte[] digits) {
        int number = 0;
        for (byte digit : digits) {
            if (digit < '0' || digit > '9' || digits.length > 7) {
                return 0;
            }
            number = 10 * number + digit - '0';
        }
        return number;
    }
}
