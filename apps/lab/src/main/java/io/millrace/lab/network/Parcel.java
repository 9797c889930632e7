// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

/** Cargo and where it goes. */
record Parcel(Lane lane, Cargo cargo) {}
