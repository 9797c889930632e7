// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

/** A key, or a field of a hash, and its value. */
public record Pair(String key, String value) {}
