// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/** A loaded entry that is ready to be written to Redis, under the {@linkplain Load#lease lease} of its load. */
record LoadedEntry<V>(Load<V> load, EncodedEntry encodedEntry) {}
