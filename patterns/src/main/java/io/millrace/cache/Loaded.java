// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/**
 * What a load has loaded, on its way to Redis.
 *
 * @param token of the lease under which it was loaded; empty without one
 */
record Loaded<V>(Load<V> load, Draft draft, String token, Renewal renewal) {}
