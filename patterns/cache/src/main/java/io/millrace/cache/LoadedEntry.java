// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/**
 * A loaded entry that is ready to be written to Redis.
 *
 * @param token token of the lease under which the entry was loaded; empty without a lease
 */
record LoadedEntry<V>(Load<V> load, EncodedEntry encodedEntry, String token, LeaseRenewer leaseRenewer) {}
