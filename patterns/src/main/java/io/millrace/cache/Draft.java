// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/**
 * An entry that is to be written.
 *
 * @param bytes as Redis is to keep them; nobody writes to them
 * @param millis for how long
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Draft(byte[] bytes, long millis) {}
