// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/**
 * An encoded entry that is ready to be written.
 *
 * @param bytes the Redis string; never modified
 * @param expiryMillis expiry of the Redis key in milliseconds
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record EncodedEntry(byte[] bytes, long expiryMillis) {}
