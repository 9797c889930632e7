// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/**
 * An encoded entry that is ready to be written.
 *
 * @param bytes the Redis string; never modified
 * @param expiryMillis time to live of the Redis key in milliseconds
 */
@SuppressWarnings("ArrayRecordComponent") // instances are never compared
record EncodedEntry(byte[] bytes, long expiryMillis) {}
